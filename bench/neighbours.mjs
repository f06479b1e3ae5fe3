// What a busy organization costs another one: the time from the answer to a webhook until its run of two steps has
// succeeded, alone and beside an organization with runs in the queue and more coming. The two take turns, on one database
// and with the same processes. Prints; decides nothing.
//   node bench/neighbours.mjs [--rounds=3] [--seconds=20] [--backlog=50000] [--concurrency=10]
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { build } from '../scripts/build.mjs';
import { insertRuns, postWebhook, quantile, signUp } from './backlog.mjs';
import { start } from './processes.mjs';

const { Client } = createRequire(new URL('../package.json', import.meta.url))('pg');
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '20' },
    backlog: { type: 'string', default: '50000' },
    concurrency: { type: 'string', default: '10' },
  },
});
const QUIET_PER_SECOND = 10;
const BUSY_PER_SECOND = 20;
const EMAIL = 'someone@example.com';

await build();
const { EmbeddedPostgres } = await import('../dist/src/database/embedded/embedded-postgres.js');
const folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
chmodSync(folder, 0o711);
const postgres = await EmbeddedPostgres.start({ dataDir: join(folder, 'data') });
const processes = [];
const client = new Client({ connectionString: postgres.url });
try {
  const env = {
    DATABASE_URL: postgres.url,
    DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'warn',
    RATE_LIMIT_PER_MINUTE: '100000000',
    WORKER_CONCURRENCY: options.concurrency,
  };
  for (const ROLE of ['web', 'worker']) {
    processes.push(await start('contestants/switchboard.mjs', [], { ...env, ROLE }));
  }
  const url = new URL(processes[0].url).origin;
  await client.connect();
  const [quiet, busy] = [await organization(url), await organization(url)];
  await measure(url, quiet, 5);
  const times = { alone: [], beside: [] };
  for (let round = 1; round <= Number(options.rounds); round += 1) {
    const alone = await measure(url, quiet, Number(options.seconds));
    await insertRuns(client, [busy], 'queued', Number(options.backlog));
    await client.query('analyze workflow_runs');
    const ended = new AbortController();
    const load = send(url, busy, BUSY_PER_SECOND, ended.signal);
    await sleep(2000);
    const beside = await measure(url, quiet, Number(options.seconds));
    ended.abort();
    await load;
    const left = await client.query(
      `delete from workflow_runs where organization_id = $1 and status in ('queued', 'waiting') returning id`,
      [busy.organizationId],
    );
    if (left.rowCount === 0) console.log('The backlog was gone before the end.');
    await untilDone();
    times.alone.push(...alone);
    times.beside.push(...beside);
    console.log(`Round ${round}: alone ${show(alone)}, beside ${show(beside)}`);
  }
  const ratio = quantile(times.beside, 0.99) / quantile(times.alone, 0.99);
  console.log(
    `All rounds: alone ${show(times.alone)}, beside ${show(times.beside)}; p99 ${ratio.toFixed(2)} times`,
  );
} finally {
  await client.end().catch(() => undefined);
  for (const { stop } of processes) await stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function organization(url) {
  const { organizationId, call } = await signUp(url);
  await call('create_contact', { email: EMAIL });
  const { workflow } = await call('create_workflow', {
    name: 'Two steps',
    trigger: { type: 'webhook' },
    steps: [
      { id: 'person', tool: 'get_contact', arguments: { email: EMAIL } },
      {
        id: 'note',
        tool: 'update_contact',
        arguments: { contact_id: '{{ person.id }}', properties: { seen: '{{ run.id }}' } },
      },
    ],
  });
  return { organizationId, workflowId: workflow.id };
}

/** Milliseconds from each answer until the run has succeeded, by one clock: all of it is on this machine. */
async function measure(url, { organizationId, workflowId }, seconds) {
  const answers = new Map();
  const pending = [];
  for (let number = 0; number < seconds * QUIET_PER_SECOND; number += 1) {
    pending.push(
      postWebhook(url, workflowId, { number }).then((runId) => answers.set(runId, Date.now())),
    );
    await sleep(1000 / QUIET_PER_SECOND);
  }
  await Promise.all(pending);
  for (;;) {
    const { rows } = await client.query(
      `select id, finished_at, status from workflow_runs where organization_id = $1 and id = any($2)`,
      [organizationId, [...answers.keys()]],
    );
    if (rows.some(({ status }) => status === 'failed')) throw new Error('A run failed.');
    if (rows.every(({ finished_at: finishedAt }) => finishedAt !== null)) {
      return rows.map((row) => Math.max(0, row.finished_at.getTime() - answers.get(row.id)));
    }
    await sleep(200);
  }
}

async function send(url, { workflowId }, perSecond, signal) {
  const pending = [];
  while (!signal.aborted) {
    pending.push(postWebhook(url, workflowId, {}));
    await sleep(1000 / perSecond);
  }
  await Promise.all(pending);
}

async function untilDone() {
  for (;;) {
    const { rows } = await client.query(
      `select from workflow_runs where status in ('queued', 'running') limit 1`,
    );
    if (rows.length === 0) return;
    await sleep(200);
  }
}

function show(values) {
  return `${quantile(values, 0.5).toFixed(0)} ms (p99 ${quantile(values, 0.99).toFixed(0)})`;
}
