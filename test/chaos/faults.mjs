import { setTimeout as sleep } from 'node:timers/promises';

const LEASE_MS = 15_000;
const LONGEST_START_MS = 30_000;

/** The number of webhooks per fault of each kind. At least one fault of each kind happens. */
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
const REDIS_FAULTS = new Set(['forget', 'redisDown']);

/** Plans all faults from the seed. `after` is the number of webhooks that are sent before the fault. */
export function planFaults(random, webhooks, hasRedis) {
  const kinds = Object.keys(WEBHOOKS_PER).filter((kind) => hasRedis || !REDIS_FAULTS.has(kind));
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

/** Injects each fault after its number of webhooks. Resolves when the last fault is over. */
export async function injectFaults(plan, world) {
  const faults = [];
  for (const fault of plan) {
    // Counts webhooks and not seconds. With seconds, all faults would happen during the first few webhooks on a busy
    // machine.
    while (world.tally.begun < fault.after) await sleep(20);
    world.tally.faults[fault.kind] = (world.tally.faults[fault.kind] ?? 0) + 1;
    faults.push(FAULTS[fault.kind](world, fault.choice));
  }
  await Promise.all(faults);
}

const FAULTS = {
  killWeb: async ({ webs, tally }, choice) => (await choose(webs, choice, tally)).kill(),
  killWorker: async ({ workers, tally }, choice) => (await choose(workers, choice, tally)).kill(),
  pause: async ({ workers, tally }, choice) =>
    (await choose(workers, choice, tally)).pause(LEASE_MS + 1000 + choice * 4000),
  terminate: ({ postgres }) =>
    postgres.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name like 'switchboard%' and random() < 0.5`,
    ),
  crash: ({ postgres, tally }, choice) => {
    // Each crash waits until the server runs again after the previous crash, because a stopped server cannot crash.
    tally.crashing = (tally.crashing ?? Promise.resolve()).then(() =>
      postgres.crash(choice * 2000),
    );
    return tally.crashing;
  },
  roll: async ({ webs, workers }) => {
    for (const node of [...webs, ...workers]) await node.roll();
  },
  forget: ({ redis }) => redis.flushAll(),
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

/**
 * Chooses a node that works. While all nodes are starting, waits until one works, because killing a starting node tests
 * nothing. No webhooks are sent during this wait. Otherwise, on a busy machine, the faults would happen after the work
 * is done.
 */
async function choose(nodes, choice, tally) {
  const working = () => nodes.filter((node) => node.working);
  tally.waitingFaults += 1;
  for (let waited = 0; working().length === 0 && waited < LONGEST_START_MS; waited += 20) {
    await sleep(20);
  }
  tally.waitingFaults -= 1;
  const candidates = working().length > 0 ? working() : nodes;
  return candidates[Math.floor(choice * candidates.length)];
}
