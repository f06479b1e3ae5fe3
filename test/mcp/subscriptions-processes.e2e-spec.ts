import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase } from '../support/database.js';
import { freePort } from '../support/global-setup.js';
import { createOrganization } from '../support/organization.js';
import { buildTree, startProcess, type SwitchboardProcess } from '../support/process.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, runUntil, trigger } from '../workflows/support/workflow-client.js';
import { Listening, SUBSCRIPTION_ID } from './support/listening.js';

let database: { url: string; drop: () => Promise<void> };
const processes: SwitchboardProcess[] = [];

beforeAll(async () => {
  buildTree();
  database = await createTestDatabase();
});
afterAll(async () => {
  for (const { child } of processes) child.kill('SIGKILL');
  await Promise.all(processes.map(({ exited }) => exited));
  await database.drop();
});

const start = async (role: 'web' | 'worker'): Promise<SwitchboardProcess & { url: string }> => {
  const port = await freePort();
  const env = {
    DATABASE_URL: database.url,
    SIGN_UP: 'open',
    PORT: String(port),
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
  };
  const started = startProcess({ ...env, ROLE: role });
  processes.push(started);
  await started.untilSaid(role === 'web' ? /listens on/ : /worker is running/);
  return Object.assign(started, { url: `http://127.0.0.1:${port}` });
};

it('a subscription gets changes of other processes, and ends when its process stops', async () => {
  const [here, there] = [await start('web'), await start('web')];
  const acme = await createOrganization({ url: there.url });
  const steps = [{ id: 'make', tool: 'create_contact', arguments: { email: 'ada@example.com' } }];
  const runId = await trigger(acme, (await createWorkflow(acme, steps)).id);
  const canceledId = await trigger(acme, (await createWorkflow(acme, steps)).id);
  const uri = (id: string) => `switchboard://runs/${id}`;
  const resourceSubscriptions = [uri(runId), uri(canceledId)];
  const listening = await Listening.to(here.url, acme.key, { resourceSubscriptions });
  const update = (id: string) => ({ method: 'notifications/resources/updated', uri: uri(id) });

  await acme.call('cancel_run', { run_id: canceledId });
  await waitFor(() => listening.told.length > 0);
  expect(listening.told).toEqual([update(canceledId)]);

  // The feed loses its connection. When it has reconnected, it also reports the changes that happened without a
  // connection.
  const owner = new Client({ connectionString: database.url });
  await owner.connect();
  await owner.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'switchboard listener'`,
  );
  await owner.end();
  await acme.call('retry_run', { run_id: canceledId });
  await waitFor(() => listening.told.length >= 3);
  expect(listening.told).toContainEqual(update(runId));

  const before = listening.told.length;
  await start('worker');
  await runUntil(acme, runId, 'succeeded');
  await waitFor(() =>
    listening.told
      .slice(before)
      .some((one) => JSON.stringify(one) === JSON.stringify(update(runId))),
  );

  here.child.kill('SIGTERM');
  expect(await listening.untilEnded()).toMatchObject({
    id: 1,
    result: { resultType: 'complete', _meta: { [SUBSCRIPTION_ID]: 1 } },
  });
  expect(await here.exited).toBe(0);
}, 120_000);
