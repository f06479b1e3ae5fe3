import { connect } from 'node:net';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../support/database.js';
import { freePort } from '../support/global-setup.js';
import { createOrganization } from '../support/organization.js';
import { buildTree, startProcess, type SwitchboardProcess } from '../support/process.js';
import { startSwitchboard } from '../support/switchboard.js';
import { IS_THOROUGH } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, runUntil, trigger } from '../workflows/support/workflow-client.js';

describe('processes of one installation', () => {
  let database: { url: string; drop: () => Promise<void> };
  let processes: SwitchboardProcess[] = [];
  let port: number;

  beforeAll(async () => {
    buildTree();
    database = await createTestDatabase();
  });
  afterEach(async () => {
    for (const { child } of processes) child.kill('SIGKILL');
    await Promise.all(processes.map(({ exited }) => exited));
    processes = [];
  });
  afterAll(() => database.drop());

  const start = async (env: Record<string, string>): Promise<SwitchboardProcess> => {
    port = await freePort();
    const started = startProcess({
      DATABASE_URL: database.url,
      SIGN_UP: 'open',
      PORT: String(port),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'warn',
      ...env,
    });
    processes.push(started);
    return started;
  };

  const drivers: [string, Record<string, string>][] = [['PostgreSQL', {}]];
  if (process.env.TEST_REDIS_URL && IS_THOROUGH) {
    drivers.push(['Bull', { REDIS_URL: process.env.TEST_REDIS_URL }]);
  }

  it.each(drivers)(
    'execute runs of a web process in a worker, with wake-ups through %s',
    async (_name, driver) => {
      const web = await start({ ROLE: 'web', ...driver });
      await web.untilSaid(/listens on/);
      const url = `http://127.0.0.1:${port}`;
      const acme = await createOrganization({ url });
      const created = await acme.call<{ workflow: { id: string } }>('create_workflow', {
        name: 'Remote',
        trigger: { type: 'manual' },
        steps: [{ id: 'make', tool: 'create_contact', arguments: { email: 'ada@example.com' } }],
      });
      const { value } = await acme.call<{ run_id: string }>('trigger_workflow', {
        workflow_id: created.value.workflow.id,
      });
      const status = async (): Promise<string> =>
        (await acme.call<{ run: { status: string } }>('get_run', { run_id: value.run_id })).value
          .run.status;
      expect(await status()).toBe('queued');
      const worker = await start({ ROLE: 'worker', ...driver });
      await worker.untilSaid(/worker is running/);
      await waitFor(async () => (await status()) === 'succeeded');
      for (const { child, exited } of [worker, web]) {
        child.kill('SIGTERM');
        expect(await exited).toBe(0);
      }
    },
  );

  it('create no demo organization, and answer a request that is in progress at SIGTERM', async () => {
    const all = await start({});
    await all.untilSaid(/listens on/);
    expect(all.output()).not.toMatch(/swb_|demo/i);
    const body = JSON.stringify({
      email: 'late@example.com',
      password: 'a long password',
      organization_name: 'Late',
    });
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `POST /api/auth/sign-up HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 20)}`,
    );
    await waitFor(async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok);
    all.child.kill('SIGTERM');
    await all.untilSaid(/SIGTERM received/);
    let answer = '';
    socket.on('data', (data) => (answer += data.toString()));
    socket.write(body.slice(20));
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    expect(await all.exited).toBe(0);
  });
});

it('a process starts and executes runs while Redis is unreachable', async () => {
  const REDIS_URL = `redis://127.0.0.1:${await freePort()}`;
  const switchboard = await startSwitchboard({ env: { REDIS_URL } });
  try {
    const acme = await createOrganization(switchboard);
    const { id } = await createWorkflow(acme, [
      { id: 'make', tool: 'create_contact', arguments: { email: 'b@example.com' } },
    ]);
    await runUntil(acme, await trigger(acme, id), 'succeeded');
  } finally {
    await switchboard.close();
  }
});

describe('a start that cannot work', () => {
  it.each([
    ['a wrong setting', { PORT: 'eighty', ROLE: 'boss' }, /PORT[^]*ROLE/],
    ['an address of another machine', { HOST: '192.0.2.1' }, /HOST: 192\.0\.2\.1/],
    [
      'an unknown host name',
      { HOST: 'nowhere.invalid' },
      /HOST: the name nowhere\.invalid is unknown/,
    ],
  ])('ends with code 1 and says why: %s', async (_case, env, message) => {
    const database = await createTestDatabase();
    const started = startProcess({ DATABASE_URL: database.url, ...env });
    expect(await started.exited).toBe(1);
    await database.drop();
    expect(started.output()).toMatch(message);
    expect(started.output()).not.toMatch(/migrations/);
    expect(started.output()).not.toMatch(/\bat .*\.js:\d+/);
  });
});
