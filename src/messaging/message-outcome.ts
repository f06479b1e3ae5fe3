import type { ReasonCode } from '../channels/reason-code.js';
import type { MessageStatus } from './message.entity.js';

export const MOST_ATTEMPTS = 6;

/** The outcome of an attempt: the new status, its reason, and the seconds before a retry, if any. */
export interface Outcome {
  status: MessageStatus;
  reason: string | null;
  code?: ReasonCode | null;
  retryInSeconds?: number;
  providerId?: string | null;
  providerMessageId?: string;
}
