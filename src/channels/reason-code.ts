/**
 * The reasons why a message has its status. Programs compare these codes. The text beside a code is for people and may
 * change.
 */
export const REASON_CODES = [
  'connection_failed',
  'connection_lost',
  'no_outcome',
  'rate_limited',
  'provider_unavailable',
  'provider_refused',
  'invalid_address',
  'sender_unverified',
  'no_provider',
  'attempts_exhausted',
  'contact_deleted',
  'consent_denied',
  'render_failed',
  'suppressed',
  'quiet_hours',
  'frequency_cap',
  'digest',
  'unsubscribed',
  'canceled',
  'bounced',
  'undelivered',
  'resolved',
] as const;

export type ReasonCode = (typeof REASON_CODES)[number];
