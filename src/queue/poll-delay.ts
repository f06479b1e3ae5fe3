const POLL_MS = 1000;
export const MAX_BACK_OFF_MS = 5000;

/** Returns the milliseconds until the next poll after consecutive failures: about one second, at most about five. */
export function pollDelay(failures: number): number {
  const backOff = Math.min(POLL_MS * 2 ** failures, MAX_BACK_OFF_MS);
  // Without jitter, processes that started together would poll the database at the same moments.
  return backOff * (0.75 + Math.random() / 2);
}
