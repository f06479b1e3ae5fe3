import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RunWorker } from '../../src/workflows/engine/run.worker.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { countRuns, endedBefore, insertRuns } from './support/backlog.js';
import { ProbeTools } from './support/probe.tools.js';
import { createWorkflow, runToEnd, trigger } from './support/workflow-client.js';

const PATIENCE_MS = 60_000;

// The runs are there before the workers, so that no hint tells of any: what is done first is for claims to decide.
describe('organizations with runs to be done', () => {
  let web: Switchboard;
  const workers: Switchboard[] = [];
  beforeAll(async () => {
    web = await startSwitchboard({ env: { ROLE: 'web' } });
  });
  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.close();
    await web.ownerQuery(`delete from workflow_runs`);
  });
  afterAll(() => web.close());

  const startWorker = async (): Promise<void> => {
    workers.push(
      await startSwitchboard({
        env: { ROLE: 'worker', REDIS_URL: '' },
        databaseUrl: web.databaseUrl,
      }),
    );
  };
  const organizationWith = async (
    count: number,
    backlog?: Parameters<typeof insertRuns>[4],
  ): Promise<TestOrganization> => {
    const organization = await createOrganization(web);
    const { id } = await createWorkflow(organization, []);
    await insertRuns(web, organization, id, count, backlog);
    return organization;
  };
  const allDone = (organization: TestOrganization, count: number) =>
    waitFor(async () => (await countRuns(web, organization, 'succeeded')) === count, PATIENCE_MS);

  it('take turns: a few later runs of one do not wait for thousands of another', async () => {
    const busy = await organizationWith(2000);
    const quiet = await organizationWith(10, { secondsFromNow: -1 });
    await startWorker();
    await startWorker();
    await allDone(quiet, 10);
    expect(await endedBefore(web, quiet, busy)).toBeLessThan(200);
  });

  it('all get on, however many there are', async () => {
    const busy = await organizationWith(2000);
    const others: TestOrganization[] = [];
    for (let count = 0; count < 25; count += 1) {
      others.push(await organizationWith(2, { secondsFromNow: -1 }));
    }
    await startWorker();
    for (const other of others) await allDone(other, 2);
    for (const other of others) expect(await endedBefore(web, other, busy)).toBeLessThan(400);
  });

  it.each([
    ['died workers', 'running'],
    ['waits that are over', 'waiting'],
  ] as const)(
    'take turns behind 50,000 %s of one of them, and 50,000 that go on',
    async (_, status) => {
      const busy = await createOrganization(web);
      const { id } = await createWorkflow(busy, []);
      await insertRuns(web, busy, id, 50_000, { status });
      await insertRuns(web, busy, id, 50_000, { status, secondsFromNow: 3600 });
      const quiet = await organizationWith(1, { status, secondsFromNow: -1 });
      await startWorker();
      await allDone(quiet, 1);
      expect(await endedBefore(web, quiet, busy)).toBeLessThan(5000);
    },
    120_000,
  );
});

describe('slots of a worker', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let other: TestOrganization;
  beforeAll(async () => {
    switchboard = await startSwitchboard({
      env: { WORKER_CONCURRENCY: '4' },
      providers: [ProbeTools],
    });
    acme = await createOrganization(switchboard);
    other = await createOrganization(switchboard);
  });
  afterAll(() => switchboard.close());

  const call = (name: string) => [{ id: 'call', tool: 'probe_outside', arguments: { name } }];

  it('are never all held by calls of one organization that hang, and all used by one alone', async () => {
    ProbeTools.hold('hung');
    const hanging = await createWorkflow(acme, call('hung'));
    for (let run = 0; run < 12; run += 1) await trigger(acme, hanging.id);
    await waitFor(() => ProbeTools.count('hung') === 4);

    const quick = await createWorkflow(other, call('quick'));
    for (let run = 0; run < 5; run += 1) {
      expect((await runToEnd(other, quick.id)).status).toBe('succeeded');
    }
    expect(ProbeTools.count('hung')).toBe(4);
    expect(await countRuns(switchboard, acme, 'queued')).toBe(8);

    ProbeTools.open('hung');
    await waitFor(async () => (await countRuns(switchboard, acme, 'succeeded')) === 12);
  });

  it('are not given to an organization that has none left, whatever a hint says', async () => {
    const web = await startSwitchboard({ env: { ROLE: 'web' } });
    try {
      const organization = await createOrganization(web);
      const { id } = await createWorkflow(organization, []);
      const runId = await trigger(organization, id);
      const worker = web.app.get(RunWorker, { strict: false });
      const share = (room: number) => ({ after: '', room: 4, rooms: { [organization.id]: room } });
      expect(await worker.claim(1, runId, share(0))).toEqual([]);
      expect(await worker.claim(4, undefined, share(0))).toEqual([]);
      expect(await worker.claim(1, runId, share(1))).toHaveLength(1);
    } finally {
      await web.close();
    }
  });

  it('are not taken by another organization altogether either', async () => {
    for (const name of ['first', 'second']) ProbeTools.hold(name);
    const first = await createWorkflow(acme, call('first'));
    const second = await createWorkflow(other, call('second'));
    for (let run = 0; run < 6; run += 1) await trigger(acme, first.id);
    await waitFor(() => ProbeTools.count('first') === 4);
    for (let run = 0; run < 6; run += 1) await trigger(other, second.id);
    await waitFor(() => ProbeTools.count('second') > 0);

    const third = await createOrganization(switchboard);
    const quick = await createWorkflow(third, call('third'));
    expect((await runToEnd(third, quick.id)).status).toBe('succeeded');
    for (const name of ['first', 'second']) ProbeTools.open(name);
    await waitFor(async () => (await countRuns(switchboard, other, 'succeeded')) >= 11);
  });
});
