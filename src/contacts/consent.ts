/** The channels by which a contact can be reached. Each needs separate consent. */
export const CONSENT_CHANNELS = ['email', 'sms', 'webhook'] as const;
export const CONSENT_STATUSES = ['granted', 'denied'] as const;

export type ConsentChannel = (typeof CONSENT_CHANNELS)[number];
export type ConsentStatus = (typeof CONSENT_STATUSES)[number];

/** The decision about one channel. `source` is the surface of the call that recorded it. */
export interface ConsentState {
  status: ConsentStatus;
  source: string;
  updated_at: string;
}

/** The recorded decisions by channel. A channel that is absent was neither granted nor denied. */
export type Consent = Partial<Record<ConsentChannel, ConsentState>>;

/**
 * Returns the decisions after `changes`. A repeated decision keeps its first source and time, because they are the
 * proof.
 */
export function mergeConsent(
  consent: Consent,
  changes: Partial<Record<ConsentChannel, ConsentStatus>>,
  source: string,
  now: Date,
): Consent {
  const merged = { ...consent };
  for (const channel of CONSENT_CHANNELS) {
    const status = changes[channel];
    if (status === undefined || merged[channel]?.status === status) continue;
    merged[channel] = { status, source, updated_at: now.toISOString() };
  }
  return merged;
}
