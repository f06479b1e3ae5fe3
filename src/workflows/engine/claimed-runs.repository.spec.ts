import { describe, expect, it } from 'vitest';
import type { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { AppError, type AppErrorCode } from '../../errors/app-error.js';
import type { RunLease } from '../journal/run-lease.js';
import type { WorkflowsRepository } from '../store/workflows.repository.js';
import { ClaimedRunsRepository } from './claimed-runs.repository.js';

/**
 * Reads two runs. The statement for both runs fails as too large. Then the statement for each single run fails with one
 * of the codes.
 */
const readTwo = async (...codes: AppErrorCode[]) => {
  const failures = ['payload_too_large' as const, ...codes];
  const transaction = () => Promise.reject(new AppError(failures.shift()!, 'No rows.'));
  const runs = new ClaimedRunsRepository(
    { transaction } as object as TenantDatabase,
    {} as WorkflowsRepository,
  );
  const leases = ['run_1', 'run_2'].map((id) => ({ organizationId: 'a', id, epoch: 1 }));
  return await Promise.allSettled(leases.map((lease) => runs.find(lease as RunLease)));
};

describe(ClaimedRunsRepository, () => {
  it('leaves out each run that is too large by itself', async () => {
    expect(await readTwo('payload_too_large', 'payload_too_large')).toMatchObject([
      { status: 'fulfilled', value: undefined },
      { status: 'fulfilled', value: undefined },
    ]);
  });

  it('fails when the database is unavailable, so that the outage does not count as a crash of the runs', async () => {
    const failed = { status: 'rejected', reason: { code: 'unavailable' } };
    expect(await readTwo('payload_too_large', 'unavailable')).toMatchObject([failed, failed]);
  });
});
