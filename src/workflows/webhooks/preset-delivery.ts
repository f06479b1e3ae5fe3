import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { SignaturePreset } from '../definitions/webhook-options.js';
import { isSame } from './signatures/diagnose.js';
import { PRESETS } from './signatures/verify-preset.js';

const ID = /^[\x21-\x7e]{1,255}$/;

/** The dedupe key, the body hash and the challenge of a delivery, read in the format of its provider. */
export interface PresetDelivery {
  dedupeKey: string | null;
  /** The SHA-256 of an id that the provider signs. It is used in place of the SHA-256 of the body. */
  bodyHash?: Buffer;
  challenge?: string;
}

/**
 * Reads the id that the provider repeats when it sends a delivery again. With `hasDedupeSeconds`, an id in a header
 * does not count: providers do not sign it, so somebody could replay a recorded delivery with another id.
 */
export function presetDelivery(
  preset: SignaturePreset,
  headers: IncomingHttpHeaders,
  payload: object,
  hasDedupeSeconds: boolean,
): PresetDelivery {
  const { idHeader, idMember } = PRESETS[preset];
  const members = payload as Record<string, unknown>;
  if (preset === 'slack' && members.type === 'url_verification') {
    const { challenge } = members;
    if (typeof challenge === 'string') return { dedupeKey: null, challenge };
  }
  if (idMember !== undefined) {
    const id = idIn(Object.hasOwn(members, idMember) ? members[idMember] : undefined);
    return id === null
      ? { dedupeKey: null }
      : { dedupeKey: id, bodyHash: hash('sha256', id, 'buffer') };
  }
  const isUsed = idHeader !== undefined && !hasDedupeSeconds;
  return { dedupeKey: isUsed ? idIn(headers[idHeader]) : null };
}

/** Returns true for the query by which Meta asks whether an address wants its webhooks. */
export function isMetaChallenge(query: URLSearchParams): boolean {
  return query.get('hub.mode') === 'subscribe' && ID.test(query.get('hub.challenge') ?? '');
}

/** Returns the challenge in the query, or undefined when its token is wrong. */
export function metaChallenge(query: URLSearchParams, verifyToken: string): string | undefined {
  const isRight = isSame(query.get('hub.verify_token') ?? '', verifyToken);
  return isRight ? (query.get('hub.challenge') ?? '') : undefined;
}

function idIn(given: unknown): string | null {
  return typeof given === 'string' && ID.test(given) ? given : null;
}
