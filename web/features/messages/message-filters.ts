import { readTime } from '../../ui/local-time.ts';

/** Lists the states of a message, in the order in which a message usually gets them. */
export const MESSAGE_STATUSES = [
  'scheduled',
  'queued',
  'held',
  'sending',
  'uncertain',
  'sent',
  'delivered',
  'failed',
  'canceled',
  'suppressed',
  'received',
] as const;
/** Lists groups of states. */
export const STATUS_GROUPS = ['pending', 'undelivered'] as const;
/** Matches the name of a channel. Modules add channels, so the page knows only the form of their names. */
const CHANNEL_NAME = /^[a-z][a-z0-9_]{0,63}$/;
export type StatusGroup = (typeof STATUS_GROUPS)[number];
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** Holds the filters of the list, as the arguments of `list_messages` and in the address of the page. */
export interface MessageFilters {
  status?: MessageStatus | StatusGroup;
  channel?: string;
  contact_id?: string;
  created_after?: string;
  created_before?: string;
}

/** Reads the filters from an address. Unknown or malformed parts are left out. */
export function readMessageFilters(search: Readonly<Record<string, unknown>>): MessageFilters {
  const status = [...MESSAGE_STATUSES, ...STATUS_GROUPS].find((each) => each === search.status);
  const after = readTime(search.created_after);
  const before = readTime(search.created_before);
  const { channel, contact_id: contact } = search;
  return {
    ...(status && { status }),
    ...(typeof channel === 'string' && CHANNEL_NAME.test(channel) && { channel }),
    ...(typeof contact === 'string' && contact && { contact_id: contact }),
    ...(after && { created_after: after }),
    ...(before && { created_before: before }),
  };
}
