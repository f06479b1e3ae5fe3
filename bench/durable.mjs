// The contests about webhooks and runs: acceptance, sustained runs, and the time until a run has succeeded.
import { ACCEPTING, RUNNING } from './durable-contestants.mjs';
import { DurableContestant } from './durable-contestant.mjs';
import { startRedis } from './redis.mjs';

/** Runs a second at which the time until the end of a run is measured. */
const RATES = [50, 200];
/** Tells about how fast a contestant is; far too few for the code of any of them to be compiled. */
const FIRST = 300;

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
    const rates = wants('latency') ? RATES : [];
    const results = [
      ...accepting.map((contestant) =>
        entry(contestant, 'accept', (amount) => contestant.accept(amount)),
      ),
      ...(wants('run') ? running : []).map((contestant) =>
        entry(contestant, 'run', (amount) => contestant.run(amount)),
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

/** How many are to be measured in a round, found by about one round that does not count. */
async function warmUp({ amount, measure }, { seconds, smoke }) {
  const first = await measure(amount ?? (smoke ? 50 : FIRST));
  if (smoke || amount) return amount;
  // Node goes on compiling for seconds, so that what was seen at first is too few for a round.
  const warm = await measure(Math.ceil(first.perSecond * seconds));
  return Math.ceil(warm.perSecond * seconds);
}

function entry(contestant, contest, measure) {
  return { contestant, contest, measure, amount: undefined, rounds: [] };
}
