import { hidePermissionSignatures } from '../text/permission-signature.js';
import { hideResumeSignatures } from '../text/resume-signature.js';
import { type KeyRestriction, mayActOnRuns } from './key-restriction.js';

/**
 * Returns a function that hides signatures in texts for a restricted key. The function hides the signatures of links
 * for contacts. When the key may not act on runs, the function also hides the signatures of resume URLs. Returns
 * undefined for a caller without a restriction, so that large texts are not searched needlessly.
 */
export function signatureMask(
  restriction: KeyRestriction | undefined,
): ((text: string) => string) | undefined {
  if (!restriction) return undefined;
  if (mayActOnRuns(restriction)) return hidePermissionSignatures;
  return (text) => hidePermissionSignatures(hideResumeSignatures(text));
}
