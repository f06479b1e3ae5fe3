// Defines the programs that the benchmarks of webhooks and runs compare, and the queries that measure their databases.
import { join } from 'node:path';
import { installPackage } from '../scripts/install-package.mjs';

const PEER_TABLES = `
  create table contacts (id text primary key, email text not null unique, first_name text not null);
  create table messages (
    id bigserial primary key,
    run_id text not null,
    contact_id text not null references contacts (id),
    recipient text not null,
    subject text not null,
    body text not null,
    created_at timestamptz not null default clock_timestamp()
  );
  create table runs (id text primary key, payload bytea not null, created_at timestamptz not null default now());`;
const PEER_MESSAGES = 'select run_id, recipient, subject, body from messages';
const BY_MESSAGE = 'select run_id as id, created_at as at from messages';

/**
 * Returns the queries of a peer with the tables of `PEER_TABLES`. `done` counts finished runs; `ends` selects their end
 * times.
 */
const peer = (given) => ({
  kind: 'peer',
  tables: PEER_TABLES,
  messages: PEER_MESSAGES,
  done: 'select count(*) as done, 0 as failed from messages',
  ends: BY_MESSAGE,
  clear: 'truncate messages',
  ...given,
});

const switchboard = (given) => ({
  kind: 'switchboard',
  script: 'switchboard',
  tables: '',
  stored: 'select count(*) from workflow_runs',
  messages: 'select run_id, recipient, subject, body from messages',
  done: `select count(*) filter (where status = 'succeeded') as done,
      count(*) filter (where status in ('failed', 'canceled')) as failed from workflow_runs`,
  ends: 'select id, finished_at as at from workflow_runs',
  clear:
    'truncate workflow_runs, messages, idempotency_keys, audit_log, webhook_deliveries cascade',
  ...given,
});

/** Lists configurations of Switchboard: each has more workers than the previous one. */
export const WORKERS = Object.fromEntries(
  [1, 2, 3, 4].map((count) => [
    `workers-${count}`,
    switchboard({
      title: count === 1 ? 'web and 1 worker' : `web and ${count} workers`,
      processes: [{ ROLE: 'web' }, ...Array.from({ length: count }, () => ({ ROLE: 'worker' }))],
    }),
  ]),
);

const DBOS_DONE = `select count(*) filter (where status = 'SUCCESS') as done,
  count(*) filter (where status not in ('SUCCESS', 'PENDING', 'ENQUEUED')) as failed from dbos.workflow_status`;

/** Lists contestants that store webhooks without executing runs. */
export const ACCEPTING = {
  'switchboard-web': switchboard({ title: 'Switchboard', processes: [{ ROLE: 'web' }] }),
  'node-pg': peer({
    kind: 'bare',
    title: 'Bare node:http + pg',
    stored: 'select count(*) from runs',
    clear: 'truncate runs',
  }),
  'nest-pg': peer({
    title: 'Bare Nest + Express + pg',
    stored: 'select count(*) from runs',
    clear: 'truncate runs',
  }),
  'dbos-queue': peer({
    title: 'DBOS Transact 5.3.0, enqueue',
    script: 'dbos',
    stored: 'select count(*) from dbos.workflow_status',
    clear: 'truncate dbos.workflow_status cascade',
  }),
  'graphile-worker-queue': peer({
    title: 'graphile-worker 0.17.3, addJob',
    script: 'graphile-worker',
    stored: 'select count(*) from graphile_worker._private_jobs',
    clear: 'truncate graphile_worker._private_jobs',
  }),
  'bull-queue': peer({
    title: 'Bull 4.16.5, add (Redis)',
    script: 'bull',
    stored: undefined,
    needsRedis: true,
  }),
};

/** Lists contestants that store webhooks and execute the runs. */
export const RUNNING = {
  switchboard: switchboard({ title: 'Switchboard, one process', processes: [{ ROLE: 'all' }] }),
  'switchboard-split': switchboard({
    title: 'Switchboard, web and worker',
    processes: [{ ROLE: 'web' }, { ROLE: 'worker' }],
  }),
  dbos: peer({
    title: 'DBOS Transact 5.3.0',
    done: DBOS_DONE,
    ends: `select workflow_uuid as id, to_timestamp(updated_at / 1000.0) as at from dbos.workflow_status`,
    clear: 'truncate messages, dbos.workflow_status cascade',
  }),
  'graphile-worker': peer({ title: 'graphile-worker 0.17.3' }),
  bull: peer({ title: 'Bull 4.16.5 (Redis)', needsRedis: true }),
  restate: peer({
    title: 'Restate 1.7.12',
    script: '../../restate/restate',
    package: 'restate',
  }),
};

/**
 * Returns the names of the contestants to measure. Installs large peers, which have separate packages. The smoke test
 * leaves them out.
 */
export function installContestants(given, { only, smoke }) {
  const names = Object.keys(given).filter(
    (name) => (!only || only.includes(name)) && !(smoke && given[name].package),
  );
  for (const name of names.filter((one) => given[one].package)) {
    installPackage(join(import.meta.dirname, given[name].package));
  }
  return names;
}
