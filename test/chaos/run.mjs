// npm run test:chaos [-- --webhooks 10000] [--seed 1] [--rate 40]
// Two web and three worker processes, PostgreSQL, Redis and the outside world, all real, under faults that the seed
// decides; first with wake-ups through PostgreSQL, then through Bull. Ends with code 1 when a promise was broken.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { build } from '../../scripts/build.mjs';
import { describeViolations } from './checker.mjs';
import { printTable } from './report.mjs';

const { values } = parseArgs({
  options: {
    webhooks: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    rate: { type: 'string', default: '40' },
  },
});
const [webhooks, seed, rate] = [values.webhooks, values.seed, values.rate].map(Number);
const LONGEST_RECOVERY_SECONDS = 30;

await build();
// They import what was just built.
const { Postgres } = await import('./postgres.mjs');
const { Redis } = await import('./redis.mjs');
const { freePort } = await import('./nodes.mjs');
const { prepareDatabase } = await import('../../dist/src/database/setup/prepare-database.js');
const { playRound } = await import('./round.mjs');

console.log(
  `Seed ${seed}: the same faults at the same times with --webhooks ${webhooks} --seed ${seed}`,
);
const folder = await mkdtemp(join(tmpdir(), 'switchboard-chaos-'));
// As root, PostgreSQL runs as another user, who must be able to pass through.
await chmod(folder, 0o711);
for (const signal of ['SIGINT', 'SIGTERM']) {
  // Whatever is under way fails for want of what is taken away here.
  process.once(signal, () => void cleanUp().then(() => process.exit(1)));
}
const undo = [() => rm(folder, { recursive: true, force: true })];
try {
  const postgres = await new Postgres().start(join(folder, 'postgres'));
  undo.push(() => postgres.stop());
  await prepareDatabase(postgres.url, { waitMs: 30_000, log: () => undefined });
  await watchTakeovers(postgres);
  const redis = new Redis(await freePort(), folder);
  await redis.start();
  undo.push(() => redis.kill());
  const sink = fork(join(import.meta.dirname, 'sink.mjs'));
  undo.push(async () => sink.kill());
  const [outside] = await once(sink, 'message');

  const rounds = [];
  for (const driver of ['PostgreSQL', 'Bull']) {
    const count = Math.ceil(webhooks / 2);
    const stage = { postgres, outside, undo, redis: driver === 'Bull' ? redis : undefined };
    rounds.push(await playRound(driver, { ...stage, count, rate, seed: seed + rounds.length }));
  }
  const faults = printTable(rounds, LONGEST_RECOVERY_SECONDS);
  for (const { driver, violations, tally } of rounds) {
    for (const line of describeViolations(violations)) console.log(`${driver}: ${line}`);
    for (const exit of tally.unexpectedExits) console.log(driver, exit);
  }
  console.log(faults.length === 0 ? 'Every promise was kept.' : `BROKEN: ${faults.join('; ')}`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await cleanUp();
}
// Sockets of processes that were killed may linger.
await sleep(0);
process.exit();

/** The last first, each once. */
async function cleanUp() {
  for (const action of undo.splice(0).toReversed()) await action();
}

/**
 * Writes down each time that a worker takes over a run whose worker gave no sign of life for a lease. It may have been
 * queued in between: then the time goes on until a worker has it. For one that was parked it ends with that: who retries
 * it is its owner, whenever that may be.
 */
async function watchTakeovers(postgres) {
  await postgres.query(`
    create schema chaos;
    create table chaos.takeovers (workflow_id text, seconds float8);
    create table chaos.lost (run_id text primary key, last_sign timestamptz);
    create function chaos.note() returns trigger language plpgsql security definer as $$
    begin
      if new.status = 'failed' then
        delete from chaos.lost where run_id = new.id;
      elsif old.status = 'running' and new.crashes > old.crashes then
        insert into chaos.lost values (new.id, old.available_at - interval '15 s')
        on conflict (run_id) do update set last_sign = excluded.last_sign;
      end if;
      if new.status = 'running' and new.epoch > old.epoch then
        with gone as (delete from chaos.lost where run_id = new.id returning last_sign)
        insert into chaos.takeovers
        select new.workflow_id, extract(epoch from clock_timestamp() - last_sign) from gone;
      end if;
      return null;
    end $$;
    create trigger note after update on public.workflow_runs for each row
      when (new.epoch > old.epoch or new.crashes > old.crashes) execute function chaos.note()`);
}
