import { createHmac } from 'node:crypto';

/** The purpose of a notification channel: changes of resources, or wake-ups of workers. */
export type Channel = 'switchboard_changes' | 'switchboard_wake_up';

const DIGITS = 32;

/**
 * Returns the name of a notification channel in this installation. PostgreSQL lets every role send on every channel. So
 * the name contains an HMAC, which SQL of a tool does not know. Without the name, SQL of a tool cannot forge
 * notifications for other organizations, and cannot flood processes with notifications. `private.notify_run_change()`
 * computes the same name.
 */
export function channelName(channel: Channel, contextKey: Buffer): string {
  const digest = createHmac('sha256', contextKey).update(`notification channel:${channel}`);
  return `${channel}_${digest.digest('hex').slice(0, DIGITS)}`;
}
