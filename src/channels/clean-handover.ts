import { HiddenSecrets } from '../outbound/hidden-secrets.js';
import { storable } from '../text/storable.js';
import type { Handover, ProviderAccount } from './channel-contract.js';

/**
 * The largest number of stored characters of the id that a provider gives a message. An index of PostgreSQL cannot
 * contain very long ids. Real ids have at most 250 characters.
 */
const LONGEST_ID = 255;
const LONGEST_REASON = 1000;
/** The number of characters of a reason that are searched for the secret of the provider. The rest is left out. */
const MOST_SEARCHED = 10_000;
const LONGEST_RETRY_SECONDS = 24 * 60 * 60;
// oxlint-disable-next-line no-control-regex -- These are the characters to find.
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * Returns the result of a handover with texts that the database can store. Without this, PostgreSQL would refuse the
 * outcome of a message because of a text that the provider chose, and the worker would retry without end. Hides the
 * secret of the account in the reason, because a provider can repeat the request in an error.
 */
export function cleanHandover(handover: Handover, account?: ProviderAccount): Handover {
  if (handover.outcome === 'sent') {
    const { providerMessageId: id } = handover;
    const isUsable = id !== undefined && id.length <= LONGEST_ID && !CONTROL.test(id);
    return { outcome: 'sent', ...(isUsable && { providerMessageId: storable(id) }) };
  }
  const searched = handover.reason.slice(0, MOST_SEARCHED);
  const hidden = account ? hideSecret(searched, account) : searched;
  const reason = storable(hidden.slice(0, LONGEST_REASON));
  if (handover.outcome !== 'failed' || handover.retryAfterSeconds === undefined) {
    return { ...handover, reason };
  }
  const seconds = Number.isFinite(handover.retryAfterSeconds) ? handover.retryAfterSeconds : 0;
  const retryAfterSeconds = Math.min(Math.max(seconds, 0), LONGEST_RETRY_SECONDS);
  return { ...handover, reason, retryAfterSeconds };
}

/** Hides the secret, alone and as the password of HTTP Basic with a setting as the user name. */
function hideSecret(text: string, { settings, secret }: ProviderAccount): string {
  const pairs = Object.values(settings).map((name) =>
    Buffer.from(`${name}:${secret}`).toString('base64'),
  );
  const names = [secret, ...pairs].map((one) => [one, 'of the provider'] as const);
  return new HiddenSecrets(new Map(names)).inText(text);
}
