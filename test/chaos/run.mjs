// npm run test:chaos [-- --webhooks 10000] [--seed 1] [--rate 40] [--max-recovery-seconds 30]
// Sends webhooks to two web and three worker processes while PostgreSQL, Redis and the processes fail. The seed decides
// the faults. Wake-ups go through PostgreSQL first, then through Bull. Exits with code 1 when a promise was broken.
// A busy machine starts killed processes slowly, so a slow recovery breaks a promise only with --max-recovery-seconds.
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
    'max-recovery-seconds': { type: 'string' },
  },
});
const [webhooks, seed, rate] = [values.webhooks, values.seed, values.rate].map(Number);
const maxRecoverySeconds = Number(values['max-recovery-seconds'] ?? Infinity);

await build();
// These modules import the build output, so they are loaded after the build.
const { Postgres } = await import('./postgres.mjs');
const { Redis } = await import('./redis.mjs');
const { freePort } = await import('./nodes.mjs');
const { prepareDatabase } = await import('../../dist/src/database/setup/prepare-database.js');
const { playRound } = await import('./round.mjs');

console.log(`Seed ${seed}. To repeat the same faults: --webhooks ${webhooks} --seed ${seed}`);
const folder = await mkdtemp(join(tmpdir(), 'switchboard-chaos-'));
// When this runs as root, PostgreSQL runs as another user, who must be able to enter the folder.
await chmod(folder, 0o711);
for (const signal of ['SIGINT', 'SIGTERM']) {
  // Work in progress fails when the servers stop here. This does not matter.
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
  const faults = printTable(rounds, maxRecoverySeconds);
  for (const { driver, violations, tally } of rounds) {
    for (const line of describeViolations(violations)) console.log(`${driver}: ${line}`);
    for (const exit of tally.unexpectedExits) console.log(driver, exit);
  }
  console.log(
    faults.length === 0 ? 'Every promise was kept.' : `Broken promises: ${faults.join('; ')}`,
  );
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await cleanUp();
}
// Sockets of killed processes may still be open and would keep this process alive.
await sleep(0);
process.exit();

/** Runs all clean-up actions once, the last one first. */
async function cleanUp() {
  for (const action of undo.splice(0).toReversed()) await action();
}

/**
 * Records the recovery time of each run whose worker lost its lease. It is the time from the last renewal of the lease
 * until another worker claims the run. Time in the queue counts. Parked runs are left out, because a person decides
 * when to retry them.
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
