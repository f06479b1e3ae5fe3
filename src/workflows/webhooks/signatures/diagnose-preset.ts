import type { SignaturePreset } from '../../definitions/webhook-options.js';
import { isSame, type RefusedSignature } from './diagnose.js';
import { queryOf } from './signed-request.js';
import type { SignatureMistake } from './signature-mistake.js';
import { isPresetSigned, PRESETS } from './verify-preset.js';
import { isTimely, TOLERANCE_SECONDS } from './verify-webhook.js';

/**
 * Returns the mistakes in a delivery that should have the signature of a provider. The first mistake names the
 * provider.
 */
export function diagnosePreset(
  preset: SignaturePreset,
  refused: RefusedSignature & { url: string },
): SignatureMistake[] {
  const expected = `expects_${preset}` as const;
  const { header, parse } = PRESETS[preset];
  const given = refused.headers[header];
  if (given === undefined) {
    const isChallenge = queryOf(refused.url).has('hub.challenge');
    return [expected, isChallenge ? 'verify_token' : 'missing_signature'];
  }
  return [expected, mistakeOf(preset, refused, String(given), parse(refused.headers))];
}

function mistakeOf(
  preset: SignaturePreset,
  refused: RefusedSignature & { url: string },
  given: string,
  parsed: ReturnType<(typeof PRESETS)[SignaturePreset]['parse']>,
): SignatureMistake {
  const { secrets, previous, others, receivedAt } = refused;
  const known = [...secrets, previous].filter((secret) => secret !== null);
  if (known.some((secret) => isSame(secret, given))) return 'secret_sent';
  if (!parsed) return 'malformed';
  const isSigned = (tried: readonly string[]): boolean =>
    isPresetSigned(preset, refused, parsed, tried);
  if (isSigned(secrets)) {
    const { toleranceSeconds = TOLERANCE_SECONDS } = refused;
    const { timestamp } = parsed;
    if (timestamp === undefined || isTimely(timestamp, receivedAt, toleranceSeconds)) {
      return 'no_match';
    }
    return Number(timestamp) * 1000 < receivedAt.getTime() ? 'too_old' : 'too_new';
  }
  if (previous !== null && isSigned([previous])) return 'previous_secret';
  return isSigned(others) ? 'other_workflow' : 'no_match';
}
