// Measures the time from the start of a process to its first response, and its memory when idle and under load.
import { setTimeout as sleep } from 'node:timers/promises';
import { CONTESTANTS, contestantsAmong, startContestant } from './call-contestants.mjs';
import { load, prepare } from './calls.mjs';
import { memoryOf } from './processes.mjs';

const ERA = '2025-11-25';
const IDLE_MS = 2000;
const LOOK_EVERY_MS = 50;
const MOST_ROUNDS = 3;

/** Measures interleaved starts on prepared databases. After some idle time, each process gets a load of trivial calls. */
export async function measure(place, { rounds, seconds, only, smoke }) {
  const names = contestantsAmong(only);
  // The smoke test starts one contestant only: the contests about calls already start all of them.
  const rows = (smoke ? names.slice(0, 1) : names).map((name) => {
    const { kind, title, eras } = CONTESTANTS[name];
    return { name, kind, title, era: eras.includes(ERA) ? ERA : eras[0], rounds: [] };
  });
  const few = Math.min(rounds, MOST_ROUNDS);
  for (let round = 0; round < (smoke ? 1 : few); round += 1) {
    for (const row of rows) row.rounds.push(await measureOne(row, place, { seconds, smoke }));
    if (!smoke) console.log(`Round ${round + 1} of ${few} of starts and memory is done.`);
  }
  return { memory: { rounds: few, rows } };
}

async function measureOne({ name, era }, place, { seconds, smoke }) {
  const began = performance.now();
  const contestant = await startContestant(name, place);
  try {
    await prepare(name, era, 'list', contestant, { tools: place.tools });
    const startMs = performance.now() - began;
    await sleep(smoke ? 0 : IDLE_MS);
    const idle = memoryOf(contestant.pid);
    const entry = await prepare(name, era, 'call', contestant, {});
    const loading = load(entry, smoke ? { amount: 64 } : { seconds });
    let busyMiB = 0;
    const looking = setInterval(() => {
      busyMiB = Math.max(busyMiB, memoryOf(contestant.pid).residentMiB);
    }, LOOK_EVERY_MS);
    await loading.finally(() => clearInterval(looking));
    return { startMs, ...idle, busyMiB };
  } finally {
    await contestant.stop();
  }
}
