import { message, nextCursor } from '../../api/page-readers.js';
import { list, record } from '../../api/reader.js';

export const messagePage = record({ messages: list(message), next_cursor: nextCursor });
export const messageResult = record({ message });

/** Lists the states of a message, in the order in which they come. */
export const MESSAGE_STATUSES = [
  'scheduled',
  'queued',
  'sending',
  'sent',
  'delivered',
  'failed',
  'canceled',
  'received',
] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

export function readStatus(value: unknown): MessageStatus | undefined {
  return MESSAGE_STATUSES.find((status) => status === value);
}
