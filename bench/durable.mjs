// Measures the contests about webhooks and runs: acceptance, sustained runs, and the time until a run has succeeded.
import { ACCEPTING, installContestants, RUNNING, WORKERS } from './durable-contestants.mjs';
import { DurableContestant } from './durable-contestant.mjs';
import { startRedis } from './redis.mjs';
import { warmUp } from './warm-up.mjs';

/** Lists the rates, in runs per second, at which the time until the end of a run is measured. */
const RATES = [50, 200];

const accept = { contest: 'accept', measure: (contestant, amount) => contestant.accept(amount) };
const run = { contest: 'run', measure: (contestant, amount) => contestant.run(amount) };
const latencies = RATES.map((rate) => ({
  contest: `latency-${rate}`,
  rate,
  measure: (contestant, amount) => contestant.pace(amount, rate),
}));

/**
 * Measures the selected contests for the contestants in `only`, or for all, in interleaved rounds of about `seconds`.
 * Each contest ends before the next one begins, because processes that wait long for their turn would be slower than
 * busy services. `place` contains the address and the process id of the shared PostgreSQL server.
 */
export async function measure(place, { contests, rounds, seconds, only, smoke }) {
  const wants = (name) => contests.includes(name);
  const groups = [
    { given: ACCEPTING, mode: 'accept', asked: wants('accept') ? [accept] : [] },
    {
      given: RUNNING,
      mode: 'run',
      asked: [...(wants('run') ? [run] : []), ...(wants('latency') ? latencies : [])],
    },
    // The smoke test omits this contest: `run` already shows that one worker beside a web process works.
    {
      given: WORKERS,
      mode: 'run',
      asked: wants('growth-workers') && !smoke ? [{ ...run, contest: 'growth-workers' }] : [],
    },
  ];
  const redis = await startRedis();
  try {
    const byContest = {};
    for (const { given, mode, asked } of groups.filter((group) => group.asked.length > 0)) {
      const names = installContestants(given, { only, smoke });
      const contestants = [];
      try {
        for (const name of names) {
          const whole = { ...place, redis };
          contestants.push(await DurableContestant.start(name, given[name], mode, whole));
        }
        for (const contestant of contestants) await contestant.assertRefuses();
        for (const one of asked) {
          byContest[one.contest] = await takeTurns(one, contestants, { rounds, seconds, smoke });
        }
      } finally {
        await Promise.all(contestants.map((contestant) => contestant.stop()));
      }
    }
    return byContest;
  } finally {
    await redis.stop();
  }
}

async function takeTurns(
  { contest, rate, measure: measureOne },
  contestants,
  { rounds, seconds, smoke },
) {
  const entries = contestants.map((contestant) => ({
    contestant,
    measure: (amount) => measureOne(contestant, amount),
    amount: rate && (smoke ? 10 : rate * seconds),
    rounds: [],
  }));
  for (const entry of entries) entry.amount = await warmUp(entry, { seconds, smoke });
  for (let round = 0; round < rounds && !smoke; round += 1) {
    for (const entry of entries) entry.rounds.push(await entry.measure(entry.amount));
    console.log(`Round ${round + 1} of ${rounds} of ${contest} is done.`);
  }
  const rows = entries.map(({ contestant: { name, kind, title }, amount, rounds: measured }) => {
    return { name, kind, title, amount, rounds: measured };
  });
  return { rows };
}
