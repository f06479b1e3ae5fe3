import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { IS_THOROUGH } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { countRuns, endedBefore, insertRuns } from './support/backlog.js';
import { createWorkflow } from './support/workflow-client.js';

const PATIENCE_MS = 60_000;
const BACKLOG = IS_THOROUGH ? 50_000 : 1000;

// The runs are inserted before the workers start, so there are no wake-ups and only claims decide the order.
describe('organizations with queued runs', () => {
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

  it('take turns, so a few later runs of one organization do not wait for thousands of runs of another organization', async () => {
    const busy = await organizationWith(2000);
    const quiet = await organizationWith(10, { secondsFromNow: -1 });
    await startWorker();
    await startWorker();
    await allDone(quiet, 10);
    expect(await endedBefore(web, quiet, busy)).toBeLessThan(200);
  });

  it('all make progress, even when there are many', async () => {
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
    ['runs of dead workers', 'running'],
    ['runs whose wait is over', 'waiting'],
  ] as const)(
    `take turns when one organization has ${BACKLOG} due %s, and the same number that are not due`,
    async (_, status) => {
      const busy = await createOrganization(web);
      const { id } = await createWorkflow(busy, []);
      await insertRuns(web, busy, id, BACKLOG, { status });
      await insertRuns(web, busy, id, BACKLOG, { status, secondsFromNow: 3600 });
      const quiet = await organizationWith(1, { status, secondsFromNow: -1 });
      await startWorker();
      await allDone(quiet, 1);
      expect(await endedBefore(web, quiet, busy)).toBeLessThan(BACKLOG / 4);
    },
    120_000,
  );
});
