const BYTES = 16;

/** Returns a random idempotency key. `crypto.randomUUID` is missing in pages without https. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
