/** The largest number of previous secrets that are valid at the same time, because each may cost one HMAC of a body. */
export const MAX_VALID = 5;

/** A secret that was replaced. It is kept after its end, to recognize senders that still use it. */
export interface PreviousSecret {
  readonly secret: string;
  /** The time until which the secret is valid, in milliseconds since 1970. Null means that it is invalid. */
  readonly until: number | null;
}

/** Returns the text that is sealed in the column `previous_secret`: all previous secrets, the newest first. */
export function writePrevious(list: readonly PreviousSecret[]): string {
  return JSON.stringify(list.map(({ secret, until }) => [secret, until]));
}

/** Reads a text of {@link writePrevious}. */
export function readPrevious(text: string): PreviousSecret[] {
  const list = JSON.parse(text) as [string, number | null][];
  return list.map(([secret, until]) => ({ secret, until }));
}

export function validAt(list: readonly PreviousSecret[], now: number): PreviousSecret[] {
  return list.filter(({ until }) => until !== null && until > now);
}

/**
 * Returns the previous secrets after a replacement. With an overlap, each earlier secret stays valid until its own
 * time. Without an overlap, no earlier secret stays valid. `replaced` is null when the current secret cannot be read.
 */
export function addPrevious(
  earlier: readonly PreviousSecret[],
  replaced: string | null,
  overlapSeconds: number,
  now: number,
): PreviousSecret[] {
  const until = overlapSeconds > 0 ? now + overlapSeconds * 1000 : null;
  const added = replaced === null ? [] : [{ secret: replaced, until }];
  const kept = until === null ? [] : validAt(earlier, now);
  // When no previous secret is valid, the newest one is kept for the delivery log.
  return added.length + kept.length > 0 ? [...added, ...kept] : earlier.slice(0, 1);
}

/** Returns the time at which the last previous secret becomes invalid, or null when none is valid. */
export function latestEnd(list: readonly PreviousSecret[]): Date | null {
  const ends = list.flatMap(({ until }) => until ?? []);
  return ends.length > 0 ? new Date(Math.max(...ends)) : null;
}
