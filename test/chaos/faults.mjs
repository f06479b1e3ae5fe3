import { setTimeout as sleep } from 'node:timers/promises';

const LEASE_MS = 15_000;

/** How many webhooks there are for each fault of a kind; at least one fault of each kind happens. */
const WEBHOOKS_PER = {
  killWeb: 220,
  killWorker: 180,
  pause: 2000,
  terminate: 500,
  crash: 1000,
  roll: 2500,
  forget: 500,
  redisDown: 1500,
};
const OF_REDIS = new Set(['forget', 'redisDown']);

/** What is going to happen when, counted in webhooks that were sent before, all of it decided by the seed. */
export function planFaults(random, webhooks, hasRedis) {
  const kinds = Object.keys(WEBHOOKS_PER).filter((kind) => hasRedis || !OF_REDIS.has(kind));
  return kinds
    .flatMap((kind) => {
      const count = Math.max(1, Math.ceil(webhooks / WEBHOOKS_PER[kind]));
      return Array.from({ length: count }, () => ({
        kind,
        after: Math.floor(random.between(webhooks / 50, webhooks)),
        choice: random.next(),
      }));
    })
    .sort((one, other) => one.after - other.after);
}

/** Lets all faults happen at their turn; resolves when the last one is over. */
export async function inflict(plan, world) {
  const happening = [];
  for (const fault of plan) {
    // Not by the clock: on a busy machine all faults would meet the first few webhooks.
    while (world.tally.begun < fault.after) await sleep(20);
    world.tally.faults[fault.kind] = (world.tally.faults[fault.kind] ?? 0) + 1;
    happening.push(FAULTS[fault.kind](world, fault.choice));
  }
  await Promise.all(happening);
}

const FAULTS = {
  killWeb: async ({ webs }, choice) => choose(webs, choice).kill(),
  killWorker: async ({ workers }, choice) => choose(workers, choice).kill(),
  pause: ({ workers }, choice) => choose(workers, choice).pause(LEASE_MS + 1000 + choice * 4000),
  terminate: ({ postgres }) =>
    postgres.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name like 'switchboard%' and random() < 0.5`,
    ),
  crash: ({ postgres, tally }, choice) => {
    // One after the other: it cannot be stopped while it is away.
    tally.crashing = (tally.crashing ?? Promise.resolve()).then(() =>
      postgres.crash(choice * 2000),
    );
    return tally.crashing;
  },
  roll: async ({ webs, workers }) => {
    for (const node of [...webs, ...workers]) await node.roll();
  },
  forget: ({ redis }) => redis.forgetAll(),
  redisDown: async ({ redis, tally }, choice) => {
    const down = async () => {
      await redis.kill();
      await sleep(2000 + choice * 4000);
      await redis.start();
    };
    tally.redisDown = (tally.redisDown ?? Promise.resolve()).then(down);
    await tally.redisDown;
  },
};

/** One that is up, if any is: a kill of something that is starting is a fault too, but a lesser one. */
function choose(nodes, choice) {
  const up = nodes.filter((node) => node.ready && !node.paused);
  const from = up.length > 0 ? up : nodes;
  return from[Math.floor(choice * from.length)];
}
