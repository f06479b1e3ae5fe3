import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { LeaseLostError } from '../../src/workflows/journal/run-lease.js';
import { RunsRepository } from '../../src/workflows/journal/runs.repository.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { createWorkflow, trigger } from './support/workflow-client.js';

describe('runs that end at the same moment', () => {
  let switchboard: Switchboard;
  let tenants: TenantDatabase;
  let acme: TestOrganization;
  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
    tenants = switchboard.app.get(TenantDatabase, { strict: false });
    acme = await createOrganization(switchboard);
  });
  afterAll(() => switchboard.close());

  /** Stores runs that a worker has claimed with these epochs. */
  const claimed = async (epochs: readonly number[]): Promise<string[]> => {
    const { id } = await createWorkflow(acme, []);
    const ids = await Promise.all(epochs.map(() => trigger(acme, id)));
    for (const [index, epoch] of epochs.entries()) {
      await switchboard.ownerQuery(
        `update workflow_runs set status = 'running', epoch = $2 where id = $1`,
        [ids[index], epoch],
      );
    }
    return ids;
  };
  const finish = async (id: string, epoch: number, reason: string | null): Promise<void> => {
    const { id: organizationId } = acme;
    const runs = switchboard.app.get(RunsRepository, { strict: false });
    const lease = { id, organizationId, epoch };
    const end = async (): Promise<void> =>
      runs.finish(lease, reason === null ? 'succeeded' : 'failed', reason);
    await tenants.transaction(organizationId, end, { sharesCommit: true });
  };
  const read = async (ids: readonly string[]) =>
    await switchboard.ownerQuery<{ status: string; reason: string | null; xmin: string }>(
      'select status, reason, xmin::text from workflow_runs where id = any($1) order by array_position($1, id)',
      [ids],
    );

  it('end in one transaction, each with its own status and reason', async () => {
    const ids = await claimed([1, 2, 3]);
    const reasons = [null, 'step_failed:a', null];
    await Promise.all(ids.map((id, index) => finish(id, index + 1, reasons[index]!)));
    const rows = await read(ids);
    expect(rows.map(({ status, reason }) => [status, reason])).toEqual([
      ['succeeded', null],
      ['failed', 'step_failed:a'],
      ['succeeded', null],
    ]);
    expect(new Set(rows.map(({ xmin }) => xmin)).size).toBe(1);
  });

  it('end, except a run whose lease is lost', async () => {
    const ids = await claimed([1, 7, 1]);
    const ended = await Promise.allSettled(ids.map((id) => finish(id, 1, null)));
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((ended[1] as PromiseRejectedResult).reason).toBeInstanceOf(LeaseLostError);
    const rows = await read(ids);
    expect(rows.map(({ status }) => status)).toEqual(['succeeded', 'running', 'succeeded']);
  });
});
