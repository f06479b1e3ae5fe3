// Measures the first minutes of a new database: how many runs of two steps end in each part of the time. PostgreSQL has
// no statistics of the tables at first, and collects them while the runs continue. A new process is slow at first too,
// until its code is compiled. So a second measurement shows a new process on the same database, with its statistics.
import { installContestants, RUNNING } from './durable-contestants.mjs';
import { DurableContestant } from './durable-contestant.mjs';
import { startRedis } from './redis.mjs';
import { median } from './statistics.mjs';

const PART_SECONDS = 5;
/** The duration of the measurement of a new process on the database of the first measurement, in seconds. */
const RESTARTED_SECONDS = 60;

/**
 * Measures each contestant once, for `minutes`, without interruption and without a warm-up. `least` is the rate of the
 * slowest part, divided by the median rate of all parts. `restarted` contains the rates of new processes on the same
 * database.
 */
export async function measure(place, { minutes, only, smoke }) {
  const seconds = smoke ? 2 : minutes * 60;
  const partSeconds = smoke ? 1 : PART_SECONDS;
  const rows = [];
  const redis = await startRedis();
  try {
    for (const name of installContestants(RUNNING, { only, smoke })) {
      const contestant = await DurableContestant.start(name, RUNNING[name], 'run', {
        ...place,
        redis,
      });
      try {
        const { ends, began, ...cpu } = await contestant.sustain(seconds);
        const perSecond = ratesOf(ends, began, { seconds, partSeconds });
        const least = Math.min(...perSecond) / median(perSecond);
        await contestant.restart();
        const restartedSeconds = Math.min(seconds, RESTARTED_SECONDS);
        const again = await contestant.sustain(restartedSeconds);
        const length = { seconds: restartedSeconds, partSeconds };
        const restarted = ratesOf(again.ends, again.began, length);
        rows.push({ name, title: contestant.title, perSecond, restarted, least, ...cpu });
        if (!smoke) console.log(`The first minutes of ${contestant.title} are done.`);
      } finally {
        await contestant.stop();
      }
    }
  } finally {
    await redis.stop();
  }
  return { fresh: { rounds: undefined, minutes, partSeconds, rows } };
}

/**
 * Returns how many runs per second ended in each part of the measured time. Runs that ended after the last webhook are
 * left out.
 */
export function ratesOf(ends, began, { seconds, partSeconds }) {
  const counts = Array.from({ length: Math.floor(seconds / partSeconds) }, () => 0);
  for (const at of ends) {
    const part = Math.floor((at - began) / (partSeconds * 1000));
    if (part >= 0 && part < counts.length) counts[part] += 1;
  }
  return counts.map((count) => count / partSeconds);
}
