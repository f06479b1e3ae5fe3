// The contests about webhooks and runs: acceptance, sustained runs, and the time until a run has succeeded.
import { ACCEPTING, RUNNING, WORKERS } from './durable-contestants.mjs';
import { DurableContestant } from './durable-contestant.mjs';
import { startRedis } from './redis.mjs';
import { warmUp } from './warm-up.mjs';

/** Runs a second at which the time until the end of a run is measured. */
const RATES = [50, 200];

/**
 * Measures the contests that are wanted, of all whom `only` names or of all, in interleaved rounds of about `seconds`.
 * `place` holds the address and the process id of the PostgreSQL that all of them share.
 */
export async function measure(place, { contests, rounds, seconds, only, smoke }) {
  const redis = await startRedis();
  const contestants = [];
  try {
    const prepare = async (given, mode) => {
      const names = Object.keys(given).filter((name) => !only || only.includes(name));
      const opened = [];
      for (const name of names) {
        const contestant = await DurableContestant.start(name, given[name], mode, {
          ...place,
          redis,
        });
        contestants.push(contestant);
        opened.push(contestant);
      }
      return opened;
    };
    const wants = (contest) => contests.includes(contest);
    const accepting = wants('accept') ? await prepare(ACCEPTING, 'accept') : [];
    const running = wants('run') || wants('latency') ? await prepare(RUNNING, 'run') : [];
    // That one worker beside a process for the web works is seen in `run`.
    const workers = wants('growth-workers') && !smoke ? await prepare(WORKERS, 'run') : [];
    const rates = wants('latency') ? RATES : [];
    const results = [
      ...accepting.map((contestant) =>
        entry(contestant, 'accept', (amount) => contestant.accept(amount)),
      ),
      ...(wants('run') ? running : []).map((contestant) =>
        entry(contestant, 'run', (amount) => contestant.run(amount)),
      ),
      ...workers.map((contestant) =>
        entry(contestant, 'growth-workers', (amount) => contestant.run(amount)),
      ),
      ...rates.flatMap((rate) =>
        running.map((contestant) => ({
          ...entry(contestant, `latency-${rate}`, (amount) => contestant.pace(amount, rate)),
          amount: smoke ? 10 : rate * seconds,
        })),
      ),
    ];
    for (const { contestant } of results) await contestant.assertRefuses();
    for (const result of results) result.amount = await warmUp(result, { seconds, smoke });
    for (let round = 0; round < rounds && !smoke; round += 1) {
      for (const result of results) result.rounds.push(await result.measure(result.amount));
      console.log(`Round ${round + 1} of ${rounds} of webhooks and runs is done.`);
    }
    const byContest = {};
    for (const { contest, contestant, amount, rounds } of results) {
      const { name, kind, title } = contestant;
      (byContest[contest] ??= { rows: [] }).rows.push({ name, kind, title, amount, rounds });
    }
    return byContest;
  } finally {
    await Promise.all(contestants.map((contestant) => contestant.stop()));
    await redis.stop();
  }
}

function entry(contestant, contest, measure) {
  return { contestant, contest, measure, amount: undefined, rounds: [] };
}
