import { Injectable } from '@nestjs/common';
import type { Repository } from 'typeorm';
import {
  arrayOfUnknownSize,
  type PreparedStatement,
  prepared,
  preparedRows,
} from '../../database/driver/statement.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { AppError } from '../../errors/app-error.js';
import { toLeaseLostError, LeaseLostError, withLeaseCheck, type RunLease } from './run-lease.js';
import type { RunLimit } from '../definitions/run-limits.js';
import { ParkedRun, Run } from './run.entity.js';
import {
  INSERT,
  INSERT_WITHOUT_LIMITS,
  type InsertedRun,
  insertedValues,
  type NewRun,
} from './run-insert.js';

export interface RunKeys {
  /** The debounce key. Null when later starts do not delay the run. */
  debounceKey: string | null;
  debounceSeconds: number | null;
  /** The concurrency key. Null when the workflow has no limit per key. */
  slotKey: string | null;
}

/**
 * Matches the run of a lease. `status || ''` keeps the planner from using the partial index of running runs, which
 * contains many dead rows until it is vacuumed.
 */
const LEASED = `organization_id = $1 and id = $2 and epoch = $3 and status || '' = 'running'`;

const FENCE = prepared(
  'run_fence',
  `select contact_id as "contactId", lost_contact as "lostContact" from workflow_runs
   where ${LEASED} for no key update`,
);
// The lease begins at clock_timestamp(). now() would be too early, because the transaction may have begun long before.
const RENEW_LEASE = updateLeased(
  'renew_lease',
  `crashes = crashes * $5::integer, available_at = clock_timestamp() + make_interval(secs => $4)`,
);
// With a join of the arrays, the planner could read the whole table. This form can only look up each id.
const FINISH = preparedRows(
  'run_finish',
  withLeaseCheck(
    `update workflow_runs set status = ($4::text[])[array_position($2::text[], id)],
       reason = ($5::text[])[array_position($2::text[], id)], finished_at = clock_timestamp()
     where organization_id = $1 and id = any (${arrayOfUnknownSize('$2::text[]')})
       and epoch = ($3::integer[])[array_position($2::text[], id)] and status || '' = 'running' returning id`,
    'cardinality($2::text[])',
  ),
);
// The statement reads the waits from the journal and not from the worker's memory, because other processes may have
// shortened a wait. A wait does not count when the run no longer needs the wait because another step failed.
const SUSPEND = prepared(
  'run_suspend',
  `update workflow_runs set status = 'waiting', reason = $4, crashes = 0, available_at = coalesce((
     select min(coalesce(s.wake_at, now())) from run_steps s
     where s.organization_id = $1 and s.run_id = $2 and s.status = 'waiting'
       and ($5::text[] is null or s.step_id = any($5))), now())
   where ${LEASED} returning available_at as at`,
);

@Injectable()
export class RunsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /**
   * Inserts each run whose workflow is active and unchanged and whose dedupe key is new. Returns the inserted runs by
   * id. With `onlyUnlimited` it leaves out runs of workflows with limits. The same statement pins the version and finds
   * the contact.
   */
  async insert(
    organizationId: string,
    runs: readonly NewRun[],
    { onlyUnlimited = false }: { onlyUnlimited?: boolean } = {},
  ): Promise<ReadonlyMap<string, InsertedRun>> {
    const rows = await this.tenants
      .session(organizationId)
      .query<InsertedRun & { id: string }>(
        onlyUnlimited ? INSERT_WITHOUT_LIMITS : INSERT,
        insertedValues(organizationId, runs),
      );
    return new Map(rows.map((row) => [row.id, row]));
  }

  /**
   * Stores the first limit that delays a new run, and the limit keys of the run. For a refused run it stores only the
   * keys, because a retry needs them.
   */
  async delay(organizationId: string, id: string, first: RunLimit, keys: RunKeys): Promise<void> {
    await this.tenants.session(organizationId).query(
      `update workflow_runs set limited = true, debounce_key = $4, slot_key = $6,
         delayed_by = case when status = 'queued' then $3 end,
         reason = case when status <> 'queued' then reason when $3 in ('key', 'slot') then 'concurrency' else $3 end,
         delayed_until = case when status = 'queued' then created_at + make_interval(secs => $5) end
       where organization_id = $1 and id = $2`,
      [organizationId, id, first, keys.debounceKey, keys.debounceSeconds, keys.slotKey],
    );
  }

  async hasDescendants(organizationId: string, rootRunId: string, count: number): Promise<boolean> {
    const [row] = await this.tenants.session(organizationId).query<{ count: number }>(
      `select count(*)::integer as count from (
         select 1 from workflow_runs where organization_id = $1 and root_run_id = $2 limit $3) descendants`,
      [organizationId, rootRunId, count],
    );
    return row!.count >= count;
  }

  async findByDedupeKey(
    organizationId: string,
    workflowId: string,
    dedupeKey: string,
  ): Promise<Run | null> {
    return await this.rows(organizationId).findOneBy({ organizationId, workflowId, dedupeKey });
  }

  /**
   * Returns the id of the newest run of the last `seconds` whose dedupe key begins with the prefix, or null. Callers
   * with the same prefix wait until the transaction of the earlier caller has ended, and then see the run that it
   * stored.
   */
  async findByKeyPrefix(
    organizationId: string,
    workflowId: string,
    prefix: string,
    seconds: number,
  ): Promise<string | null> {
    const session = this.tenants.session(organizationId);
    await session.query('select lock_name($1, false)', [`${workflowId} ${prefix}`]);
    // The prefix is compared as a range, because LIKE would not use the index of the unique key.
    const [row] = await session.query<{ id: string }>(
      `select id from workflow_runs
       where organization_id = $1 and workflow_id = $2 and dedupe_key >= $3 and dedupe_key < $3 || '~'
         and created_at > clock_timestamp() - make_interval(secs => $4)
       order by created_at desc limit 1`,
      [organizationId, workflowId, prefix, seconds],
    );
    return row?.id ?? null;
  }

  async find(organizationId: string, id: string): Promise<Run | null> {
    return await this.rows(organizationId).findOneBy({ organizationId, id });
  }

  /** Returns the run as {@link find} does. Throws `not_found` when there is no such run. */
  async get(organizationId: string, id: string): Promise<Run> {
    const run = await this.find(organizationId, id);
    if (!run) throw AppError.notFound('run');
    return run;
  }

  async getPayload(organizationId: string, id: string): Promise<Buffer> {
    const found = await this.rows(organizationId).findOneOrFail({
      where: { organizationId, id },
      select: { id: true, payload: true },
    });
    return found.payload;
  }

  /**
   * Locks the run until the transaction ends, or throws {@link LeaseLostError} when the epoch has changed or the run
   * has ended. Returns the current contact, which an earlier step may have set or deleted. Other transactions can still
   * insert rows that refer to the run, so calls of resume URLs do not wait for a running step.
   */
  async fence(lease: RunLease): Promise<Pick<Run, 'contactId' | 'lostContact'>> {
    const [row] = await this.tenants
      .session(lease.organizationId)
      .query<Pick<Run, 'contactId' | 'lostContact'>>(FENCE, keyOf(lease));
    if (!row) throw new LeaseLostError();
    return row;
  }

  async setContact(organizationId: string, id: string, contactId: string): Promise<void> {
    await this.rows(organizationId).update({ organizationId, id }, { contactId });
  }

  /** Removes a parked run from the list. Returns true for one caller only. */
  async deleteParked(organizationId: string, runId: string): Promise<boolean> {
    const { affected } = await this.tenants
      .repository(organizationId, ParkedRun)
      .delete({ organizationId, runId });
    return affected === 1;
  }

  /** Queues a renewal of the lease, which can also reset the number of crashes. */
  renewLease(lease: RunLease, leaseSeconds: number, resetsCrashes: boolean): void {
    this.deferLeased(RENEW_LEASE, lease, [leaseSeconds, resetsCrashes ? 0 : 1]);
  }

  /**
   * Gives up the lease. The run waits until the first of the given waits is due, and this method returns that time.
   * Without given waits, all waits of the run count.
   */
  async suspend(lease: RunLease, reason: string, stepIds?: readonly string[]): Promise<Date> {
    const [row] = await this.tenants
      .session(lease.organizationId)
      .query<{ at: Date }>(SUSPEND, [...keyOf(lease), reason, stepIds ?? null]);
    if (!row) throw new LeaseLostError();
    return row.at;
  }

  /** Queues the statement that ends the run. */
  finish(lease: RunLease, status: 'succeeded' | 'failed', reason: string | null): void {
    this.deferLeased(FINISH, lease, [status, reason]);
  }

  /** Returns the current time of the database clock, which decides when a wait ends. */
  async now(organizationId: string): Promise<Date> {
    const session = this.tenants.session(organizationId);
    const [row] = await session.query<{ now: Date }>(`select clock_timestamp() as now`);
    return row!.now;
  }

  private rows(organizationId: string): Repository<Run> {
    return this.tenants.repository(organizationId, Run);
  }

  private deferLeased(statement: PreparedStatement, lease: RunLease, values: unknown[]): void {
    this.tenants
      .session(lease.organizationId)
      .defer(statement, [...keyOf(lease), ...values], toLeaseLostError);
  }
}

function keyOf(lease: RunLease): unknown[] {
  return [lease.organizationId, lease.id, lease.epoch];
}

function updateLeased(name: string, changes: string): PreparedStatement {
  const update = `update workflow_runs set ${changes} where ${LEASED} returning id`;
  return prepared(`run_${name}`, withLeaseCheck(update));
}
