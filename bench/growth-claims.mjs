// Measures whether a backlog slows down the claim of the next run. It uses two databases of one server, one of them
// without a backlog. They take turns, so that other load of the machine affects both.
import { insertOrganizations, insertRuns, postWebhook, quantile, signUp } from './backlog.mjs';
import { connect, makeDatabase } from './databases.mjs';
import { start } from './processes.mjs';

const MOST = 1_000_000;
const CLAIMS = 300;
const SHARE = JSON.stringify({ after: 'org_V', room: 10, rooms: {} });

/**
 * Measures claims with growing backlogs: queued runs of one organization, then waiting runs, then runs of many
 * organizations.
 */
export async function measure(place, { smoke }) {
  const most = smoke ? 200 : MOST;
  const claims = smoke ? 2 : CLAIMS;
  const sides = [];
  try {
    const [empty, full] = [
      await openSide(place, 'without', sides),
      await openSide(place, 'behind', sides),
    ];
    const one = await insertOrganizations(full.client, 1);
    const many = await insertOrganizations(full.client, smoke ? 10 : 1000);
    const rows = [];
    const compareWith = async (queued, organizations, waiting) => {
      const times = await compare(empty, full, { claims, warmUp: smoke ? 0 : 20 });
      rows.push({ queued, organizations, waiting, ...times });
      if (!smoke) console.log(`Claims with ${queued} queued and ${waiting} waiting runs are done.`);
    };
    await compareWith(0, 0, 0);
    for (const count of [most / 10, most]) {
      await fill(full, one, 'queued', count);
      await fill(full, many, 'waiting', count);
      await compareWith(count, one.length, count);
    }
    await fill(full, many, 'queued', most);
    await compareWith(2 * most, one.length + many.length, most);
    return { 'growth-claims': { rounds: undefined, turns: claims, rows } };
  } finally {
    for (const { client, web } of sides) {
      await client.end();
      await web.stop();
    }
  }
}

/** Creates a database with a web process and no worker, so that the bench claims the runs. */
async function openSide({ databaseUrl, env }, name, sides) {
  const url = await makeDatabase(databaseUrl, `claims_${name}`);
  const web = await start('contestants/switchboard.mjs', [], {
    ...env,
    DATABASE_URL: url,
    SIGN_UP: 'open',
    NEW_ORGANIZATION_MESSAGES: '100000000',
    NEW_ORGANIZATION_CONTACTS: '100000000',
    NEW_ORGANIZATION_RUNS: '100000000',
    NEW_ORGANIZATION_STORED_MB: '1000000',
    ROLE: 'web',
  });
  const client = await connect(url);
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

/** Inserts runs until the database has `count` of them. */
async function fill({ client, counts }, workflows, status, count) {
  const key = `${status} ${workflows.length}`;
  await insertRuns(client, workflows, status, count - (counts[key] ?? 0));
  counts[key] = count;
  await client.query('vacuum analyze workflow_runs');
  await client.query('checkpoint');
}

/**
 * Measures a claim of the next run, a claim by id, and a webhook with its claim. Returns the milliseconds for both
 * databases.
 */
async function compare(empty, full, { claims, warmUp }) {
  const times = { poll: [[], []], hint: [[], []], webhook: [[], []] };
  for (let round = -warmUp; round < claims; round += 1) {
    for (const [index, side] of [empty, full].entries()) {
      const measured = { poll: await poll(side), ...(await hint(side)) };
      if (round < 0) continue;
      for (const [name, ms] of Object.entries(measured)) times[name][index].push(ms);
    }
  }
  const show = (values) => ({ p50: quantile(values, 0.5), p99: quantile(values, 0.99) });
  return Object.fromEntries(
    Object.entries(times).map(([name, [without, behind]]) => [
      name,
      { without: show(without), behind: show(behind) },
    ]),
  );
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

/** Claims a run and ends it. Returns the duration of the claim in milliseconds. */
async function claim(client, id) {
  const began = performance.now();
  const { rows } = await client.query({
    name: 'claim',
    text: 'select * from gate.claim_runs(1, $1, 15, $2)',
    values: [id, SHARE],
  });
  const ms = performance.now() - began;
  if (rows.length !== 1) throw new Error('No run was claimed.');
  await client.query(
    `update workflow_runs set status = 'succeeded', finished_at = now() where id = $1`,
    [rows[0].id],
  );
  return ms;
}
