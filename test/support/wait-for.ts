import { setTimeout as sleep } from 'node:timers/promises';

/** Calls `ask` until its result is truthy, and returns this result. The limit only ends tests that hang. */
export async function waitFor<T>(
  ask: () => Promise<T> | T,
  timeoutMs = 100_000,
): Promise<NonNullable<T>> {
  const started = Date.now();
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    const waitedMs = Date.now() - started;
    if (waitedMs > timeoutMs) throw new Error(`Still waiting after ${waitedMs} ms.`);
    // The pauses grow with the wait, because most calls of `ask` send requests to a busy server.
    await sleep(Math.min(150, 15 + waitedMs / 4));
  }
}
