import { message } from '../../api/message.js';
import { nextCursor } from '../../api/page-readers.js';
import { type Read, boolean, list, nullable, number, record, text } from '../../api/reader.js';

export const messagePage = record({ messages: list(message), next_cursor: nextCursor });
export const messageResult = record({ message });

export const messageEnvelope = record({
  from: nullable(text),
  reply_to: nullable(text),
  attachments: list(record({ file_id: text, name: text, size: number })),
});

const messageEvent = record({ status: text, reason: nullable(text), attempts: number, at: text });
export type MessageEvent = Read<typeof messageEvent>;
export const messageEvents = record({ events: list(messageEvent) });

export const messageCounts = record({
  counts: list(record({ status: text, count: number })),
  counted: number,
  is_complete: boolean,
});
export type MessageCounts = Read<typeof messageCounts>;
