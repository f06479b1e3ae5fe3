/**
 * Where a message is: waiting for its time, waiting for a worker (or for its next attempt), being handed over, or at
 * one of three ends.
 */
export const MESSAGE_STATUSES = [
  'scheduled',
  'queued',
  'sending',
  'sent',
  'failed',
  'canceled',
] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

export const MESSAGE_CHANNELS = ['email', 'sms', 'webhook'] as const;
export type MessageChannel = (typeof MESSAGE_CHANNELS)[number];
