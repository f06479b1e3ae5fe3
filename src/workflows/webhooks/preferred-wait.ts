/**
 * How many seconds the sender of a webhook waits for the end of the run: what its workflow allows, or less where
 * `Prefer` (RFC 7240) says so. 0 without the workflow's leave, for the answer tells what the steps returned.
 */
export function preferredWait(prefer: string | undefined, waitSeconds: number | undefined): number {
  if (waitSeconds === undefined) return 0;
  const preferences = (prefer ?? '').split(',').map((one) => one.split(';', 1)[0]!.trim());
  const wait = preferences
    .map((preference) => /^wait\s*=\s*"?(\d{1,9})"?$/i.exec(preference)?.[1])
    .find((seconds) => seconds !== undefined);
  if (wait !== undefined) return Math.min(Number(wait), waitSeconds);
  // Without a number it means: not at all.
  const isAsync = preferences.some((preference) => preference.toLowerCase() === 'respond-async');
  return isAsync ? 0 : waitSeconds;
}
