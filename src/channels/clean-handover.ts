import { storable } from '../text/storable.js';
import type { Handover } from './channel-contract.js';

/**
 * The largest number of stored characters of the id that a provider gives a message. An index of PostgreSQL cannot
 * contain very long ids. Real ids have at most 250 characters.
 */
const LONGEST_ID = 255;
const LONGEST_REASON = 1000;
const LONGEST_RETRY_SECONDS = 24 * 60 * 60;
// oxlint-disable-next-line no-control-regex -- These are the characters to find.
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * Returns the result of a handover with texts that the database can store. Without this, PostgreSQL would refuse the
 * outcome of a message because of a text that the provider chose, and the worker would retry without end.
 */
export function cleanHandover(handover: Handover): Handover {
  if (handover.outcome === 'sent') {
    const { providerMessageId: id } = handover;
    const isUsable = id !== undefined && id.length <= LONGEST_ID && !CONTROL.test(id);
    return { outcome: 'sent', ...(isUsable && { providerMessageId: storable(id) }) };
  }
  const reason = storable(handover.reason.slice(0, LONGEST_REASON));
  if (handover.outcome !== 'failed' || handover.retryAfterSeconds === undefined) {
    return { ...handover, reason };
  }
  const seconds = Number.isFinite(handover.retryAfterSeconds) ? handover.retryAfterSeconds : 0;
  const retryAfterSeconds = Math.min(Math.max(seconds, 0), LONGEST_RETRY_SECONDS);
  return { ...handover, reason, retryAfterSeconds };
}
