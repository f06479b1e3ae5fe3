import { expect } from 'vitest';
import type { Stranger } from './stranger.js';

const MAX_WAIT_MS = 100;
/** The largest number of attempts for one case. A busy machine delays some attempts, but not all. */
const ATTEMPTS = 4;

export type WaitCase = readonly [what: string, work: () => Promise<unknown>];

/**
 * Returns the time by which `work` delayed a ping, in milliseconds: the wait of the ping minus the wait of a ping of
 * the control server. Other processes also delay pings. So the result is never more than the processor time of the
 * longest turn of the event loop.
 */
async function waitDuring(stranger: Stranger, work: () => Promise<unknown>): Promise<number> {
  let turnMs = 0;
  let cpu = process.cpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(cpu);
    turnMs = Math.max(turnMs, (user + system) / 1000);
    cpu = process.cpuUsage();
  }, 1);
  const { waitMs, controlMs } = await stranger.measure(work);
  clearInterval(timer);
  return Math.min(waitMs - controlMs, turnMs);
}

/** Runs every case, and expects that no case delays the pings. */
export async function expectNoWaitsOf(
  stranger: Stranger,
  cases: readonly WaitCase[],
): Promise<void> {
  const slow: string[] = [];
  for (const [what, work] of cases) {
    let waitMs = Infinity;
    for (let attempt = 0; attempt < ATTEMPTS && waitMs > MAX_WAIT_MS; attempt += 1) {
      waitMs = Math.min(waitMs, await waitDuring(stranger, work));
    }
    if (waitMs > MAX_WAIT_MS) slow.push(`${what}: ${Math.round(waitMs)} ms`);
  }
  expect(slow).toEqual([]);
}
