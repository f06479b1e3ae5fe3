const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Seconds before the second attempt and each one after it. */
const PAUSES = [30, 2 * MINUTE, 10 * MINUTE, HOUR, 4 * HOUR];

export const MOST_ATTEMPTS = PAUSES.length + 1;

/** Seconds to wait after so many failed attempts; undefined when it was the last. */
export function retryPause(attempts: number): number | undefined {
  return PAUSES[attempts - 1];
}
