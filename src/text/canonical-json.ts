import { createHash } from 'node:crypto';

/** Returns JSON text that is equal for equal values. Object keys are sorted by code units, as in RFC 8785. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

/** Returns the SHA-256 of the canonical JSON of a value. */
export function fingerprint(value: unknown): Buffer {
  return createHash('sha256').update(canonicalJson(value)).digest();
}
