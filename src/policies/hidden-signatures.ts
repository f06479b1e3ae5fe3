import { hidePermissionSignatures } from '../text/permission-signature.js';
import { hideResumeSignatures } from '../text/resume-signature.js';
import { type KeyRestriction, mayActOnRuns } from './key-restriction.js';

/**
 * Returns the function that hides from texts for the holder of a key what the key may not use: the signatures of
 * resume URLs, when it may not act on runs, and of links by which contacts decide, when it has any restriction. Returns
 * undefined for a caller without a restriction, so that large texts are not read for nothing.
 */
export function signatureMask(
  restriction: KeyRestriction | undefined,
): ((text: string) => string) | undefined {
  if (!restriction) return undefined;
  if (mayActOnRuns(restriction)) return hidePermissionSignatures;
  return (text) => hidePermissionSignatures(hideResumeSignatures(text));
}
