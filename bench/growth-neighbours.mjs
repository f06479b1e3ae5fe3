// Measures how a busy organization slows down another one. Measures the time from the response to a webhook until its
// run of two steps has succeeded: first without other load, then while another organization has a backlog. Both cases
// take turns on one database and with the same processes.
import { setTimeout as sleep } from 'node:timers/promises';
import { insertRuns, postWebhook, quantile, signUp, timeRuns } from './backlog.mjs';
import { connect, makeDatabase } from './databases.mjs';
import { start } from './processes.mjs';

const MOST_ROUNDS = 3;
const QUIET_PER_SECOND = 10;
const BUSY_PER_SECOND = 20;
const EMAIL = 'someone@example.com';

const time = ({ client, web, quiet }, seconds) =>
  timeRuns(client, web, { ...quiet, perSecond: QUIET_PER_SECOND, seconds });

/** Returns the milliseconds of all rounds, alone and while another organization is busy. */
export async function measure({ databaseUrl, env }, { rounds, smoke }) {
  const url = await makeDatabase(databaseUrl, 'neighbours');
  const extent = smoke
    ? { seconds: 1, backlog: 50, settleMs: 0 }
    : { seconds: 20, backlog: 50_000, settleMs: 2000 };
  const few = smoke ? 1 : Math.min(rounds, MOST_ROUNDS);
  const processes = [];
  const client = await connect(url);
  try {
    for (const ROLE of ['web', 'worker']) {
      const role = {
        ...env,
        DATABASE_URL: url,
        SIGN_UP: 'open',
        NEW_ORGANIZATION_MESSAGES: '100000000',
        NEW_ORGANIZATION_CONTACTS: '100000000',
        NEW_ORGANIZATION_RUNS: '100000000',
        NEW_ORGANIZATION_STORED_MB: '1000000',
        ROLE,
      };
      processes.push(await start('contestants/switchboard.mjs', [], role));
    }
    const web = new URL(processes[0].url).origin;
    const [quiet, busy] = [await organization(web), await organization(web)];
    const place = { client, web, quiet, busy };
    await time(place, smoke ? 1 : 5);
    const times = { alone: [], beside: [] };
    for (let round = 1; round <= few; round += 1) {
      times.alone.push(...(await time(place, extent.seconds)));
      times.beside.push(...(await timeBeside(place, extent)));
      if (!smoke) console.log(`Round ${round} of ${few} of the quiet organization is done.`);
    }
    const show = (values) => ({ p50: quantile(values, 0.5), p99: quantile(values, 0.99) });
    return {
      'growth-neighbours': {
        rounds: few,
        seconds: extent.seconds,
        backlog: extent.backlog,
        quietPerSecond: QUIET_PER_SECOND,
        busyPerSecond: BUSY_PER_SECOND,
        alone: show(times.alone),
        beside: show(times.beside),
      },
    };
  } finally {
    await client.end();
    for (const { stop } of processes) await stop();
  }
}

/** Measures the quiet organization while the busy one has runs, and deletes these runs at the end. */
async function timeBeside(place, { seconds, backlog, settleMs }) {
  const { client, busy } = place;
  await insertRuns(client, [busy], 'queued', backlog);
  await client.query('analyze workflow_runs');
  const ended = new AbortController();
  const load = send(place, ended.signal);
  await sleep(settleMs);
  const beside = await time(place, seconds);
  ended.abort();
  await load;
  const left = await client.query(
    `delete from workflow_runs where organization_id = $1 and status in ('queued', 'waiting') returning id`,
    [busy.organizationId],
  );
  if (left.rowCount === 0)
    console.log('The backlog ended during the measurement. Use a larger backlog.');
  await untilDone(client);
  return beside;
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

async function send({ web, busy: { workflowId } }, signal) {
  const pending = [];
  while (!signal.aborted) {
    pending.push(postWebhook(web, workflowId, {}));
    await sleep(1000 / BUSY_PER_SECOND);
  }
  await Promise.all(pending);
}

async function untilDone(client) {
  for (;;) {
    const { rows } = await client.query(
      `select from workflow_runs where status in ('queued', 'running') limit 1`,
    );
    if (rows.length === 0) return;
    await sleep(200);
  }
}
