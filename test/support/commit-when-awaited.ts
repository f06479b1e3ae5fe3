import { AsyncLocalStorage } from 'node:async_hooks';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import type { RunningSwitchboard } from './switchboard.js';
import { waitFor } from './wait-for.js';

/**
 * Makes `change` in a transaction of the organization, and commits only when `work` waits for a lock of this
 * transaction. Returns the result of `work`.
 */
export async function commitWhenAwaited<T>(
  switchboard: RunningSwitchboard,
  organizationId: string,
  change: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  const tenants = switchboard.app.get(TenantDatabase);
  // Without this, transactions that `work` begins would be parts of this transaction.
  const runOutside = AsyncLocalStorage.snapshot();
  let result: Promise<T> | undefined;
  await tenants.transaction(organizationId, async () => {
    await change();
    const [own] = await tenants
      .session(organizationId)
      .query<{ pid: number }>('select pg_backend_pid() as pid');
    result = runOutside(work);
    result.catch(() => undefined);
    await untilAwaited(switchboard, own!.pid);
  });
  return await result!;
}

/** Waits until another process of PostgreSQL waits for a lock of the process `pid`. */
export async function untilAwaited(switchboard: RunningSwitchboard, pid: number): Promise<void> {
  await waitFor(async () => {
    const [row] = await switchboard.ownerQuery<{ waits: boolean }>(
      `select exists (select from pg_locks where not granted and $1 = any(pg_blocking_pids(pid))) as waits`,
      [pid],
    );
    return row!.waits;
  });
}
