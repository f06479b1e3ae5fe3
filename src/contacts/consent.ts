/** The ways to reach a contact that each need its own consent. */
export const CONSENT_CHANNELS = ['email', 'sms', 'webhook'] as const;
export const CONSENT_STATUSES = ['granted', 'denied'] as const;

export type ConsentChannel = (typeof CONSENT_CHANNELS)[number];
export type ConsentStatus = (typeof CONSENT_STATUSES)[number];

/** What was decided for one channel, by whom (an agent, a workflow, a person) and when. */
export interface ConsentState {
  status: ConsentStatus;
  source: string;
  updated_at: string;
}

/** The decisions that are on record; a channel without one has neither been granted nor denied. */
export type Consent = Partial<Record<ConsentChannel, ConsentState>>;

/** The decisions after `changes`. Saying again what is on record keeps the earlier source and time, as proof. */
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
