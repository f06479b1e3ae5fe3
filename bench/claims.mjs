// Whether a backlog slows the claiming of the next run. Two databases of one server, one of them without a backlog; they
// take turns, so that what else the machine does counts for both. Prints; decides nothing.
//   node bench/claims.mjs [--most=1000000] [--rounds=300]
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../scripts/build.mjs';
import { insertOrganizations, insertRuns, postWebhook, quantile, signUp } from './backlog.mjs';
import { start } from './processes.mjs';

// From here `import` would find the packages of the peers first.
const { Client } = createRequire(new URL('../package.json', import.meta.url))('pg');
const { values: options } = parseArgs({
  options: {
    most: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '300' },
  },
});
const most = Number(options.most);
const rounds = Number(options.rounds);
const SHARE = JSON.stringify({ after: 'org_V', room: 10, rooms: {} });

await build();
const { EmbeddedPostgres } = await import('../dist/src/database/embedded/embedded-postgres.js');
const folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
chmodSync(folder, 0o711);
const postgres = await EmbeddedPostgres.start({ dataDir: join(folder, 'data') });
const sides = [];
try {
  const [empty, full] = [await openSide('without'), await openSide('behind')];
  const one = await insertOrganizations(full.client, 1);
  const thousand = await insertOrganizations(full.client, 1000);
  await compare(empty, full, 'no backlog');
  for (const count of [most / 10, most]) {
    await fill(full, one, 'queued', count);
    await fill(full, thousand, 'waiting', count);
    await compare(empty, full, `${count} queued of 1 organization, ${count} waiting`);
  }
  await full.client.query(`delete from workflow_runs where organization_id = $1`, [
    one[0].organizationId,
  ]);
  await fill(full, thousand, 'queued', most);
  await compare(empty, full, `${most} queued of 1,000 organizations, ${most} waiting`);
} finally {
  for (const { client, web } of sides) {
    await client.end();
    await web.stop();
  }
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** A database with a process that takes webhooks, and none that works on runs: the bench claims them. */
async function openSide(name) {
  const owner = new Client({ connectionString: postgres.url });
  await owner.connect();
  await owner.query(`create database ${name}`);
  await owner.end();
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  const web = await start('contestants/switchboard.mjs', [], {
    DATABASE_URL: url.href,
    DATA_DIR: join(folder, name),
    ROLE: 'web',
    LOG_LEVEL: 'warn',
    RATE_LIMIT_PER_MINUTE: '100000000',
  });
  const client = new Client({ connectionString: url.href });
  await client.connect();
  const side = { client, web, url: new URL(web.url).origin, counts: {} };
  sides.push(side);
  const { organizationId, call } = await signUp(side.url);
  const { workflow } = await call('create_workflow', {
    name: 'Bench',
    trigger: { type: 'webhook' },
    steps: [],
  });
  return Object.assign(side, { workflow: { organizationId, workflowId: workflow.id } });
}

/** Adds what is missing to so many. */
async function fill({ client, counts }, workflows, status, count) {
  const key = `${status} ${workflows.length}`;
  await insertRuns(client, workflows, status, count - (counts[key] ?? 0));
  counts[key] = count;
  await client.query('vacuum analyze workflow_runs');
  await client.query('checkpoint');
}

async function compare(empty, full, title) {
  const times = { poll: [[], []], hint: [[], []], webhook: [[], []] };
  for (let round = -20; round < rounds; round += 1) {
    for (const [index, side] of [empty, full].entries()) {
      const measured = { poll: await poll(side), ...(await hint(side)) };
      if (round < 0) continue;
      for (const [name, ms] of Object.entries(measured)) times[name][index].push(ms);
    }
  }
  console.log(`\n${title}`);
  const names = {
    poll: 'Claim of the next run',
    hint: 'Claim of the run of a hint',
    webhook: 'Webhook to claimed',
  };
  for (const [name, [without, behind]] of Object.entries(times)) {
    const show = (values) =>
      `${quantile(values, 0.5).toFixed(2)} ms (p99 ${quantile(values, 0.99).toFixed(2)})`;
    const ratio = quantile(behind, 0.5) / quantile(without, 0.5);
    console.log(
      `  ${names[name]}: ${show(without)} without, ${show(behind)} with; ${ratio.toFixed(2)} times`,
    );
  }
}

async function poll({ client, workflow }) {
  await insertRuns(client, [workflow], 'queued', 1);
  return await claim(client, null);
}

async function hint({ client, url, workflow }) {
  const began = performance.now();
  const runId = await postWebhook(url, workflow.workflowId, { some: 'thing' });
  const ms = await claim(client, runId);
  return { hint: ms, webhook: performance.now() - began };
}

/** Claims a run and lets it end, and returns how long the claim took. */
async function claim(client, id) {
  const began = performance.now();
  const { rows } = await client.query({
    name: 'claim',
    text: 'select * from gate.claim_runs(1, $1, 15, $2)',
    values: [id, SHARE],
  });
  const ms = performance.now() - began;
  if (rows.length !== 1) throw new Error('Nothing was claimed.');
  await client.query(
    `update workflow_runs set status = 'succeeded', finished_at = now() where id = $1`,
    [rows[0].id],
  );
  return ms;
}
