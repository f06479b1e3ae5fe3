import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { RunLease } from './claimed-run.js';
import { asLeaseLost, LeaseLost, onlyHeld } from './lease-lost.js';
import type { RunLimits } from '../definitions/run-limits.js';
import { Run } from './run.entity.js';
import type { RunTriggerType } from '../definitions/trigger.js';

/** What is known of a run when it is asked for. */
export interface NewRun {
  id: string;
  workflowId: string;
  triggerType: RunTriggerType;
  payload: Buffer;
  /** Whom it is about, by id or else by address; those that the organization does not know are left out. */
  contactId: string | null;
  contactEmail: string | null;
  dedupeKey: string | null;
  bodyHash: Buffer | null;
  depth: number;
  rootRunId: string | null;
  /** Why it ends before it begins. */
  refusal: string | null;
  /** The state that the workflow must still be in, if that matters. */
  revision: string | null;
}

/** What became of a run that is asked for. */
export interface InsertedRun {
  contactId: string | null;
  /** The limits that it is under. */
  limits: RunLimits | null;
}

/**
 * Found by its key and by nothing else: an index of what is running would look smaller than it is, because it keeps
 * what was running until that is vacuumed away.
 */
const HELD = `organization_id = $1 and id = $2 and epoch = $3 and status || '' = 'running'`;

@Injectable()
export class RunsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /**
   * Inserts each run whose workflow is active and as it must be, and whose dedupe key is new, and returns those by their
   * ids. The version is pinned, and the contact looked up, by the same statement.
   */
  async insert(
    organizationId: string,
    runs: readonly NewRun[],
  ): Promise<ReadonlyMap<string, InsertedRun>> {
    const rows = await this.tenants
      .manager(organizationId)
      .query<{ id: string; contact_id: string | null; limits: RunLimits | null }[]>(
        insertRuns(
          'true',
          `id, contact_id, (select l.trigger_options -> 'limits' from workflows l
             where l.organization_id = $1 and l.id = workflow_id) as limits`,
        ),
        insertedValues(organizationId, runs),
      );
    return new Map(
      rows.map(({ id, contact_id: contactId, limits }) => [id, { contactId, limits }]),
    );
  }

  /**
   * The same in a transaction by itself, committed when this resolves, but for runs under limits, which it leaves out.
   * Returns the ids of those inserted. Throws `unavailable` where nobody can tell which they are.
   */
  async insertOnce(organizationId: string, runs: readonly NewRun[]): Promise<ReadonlySet<string>> {
    const rows = await this.tenants.writeOnce<{ id: string }>(
      organizationId,
      insertRuns(`w.trigger_options -> 'limits' is null`, 'id'),
      insertedValues(organizationId, runs),
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Whether at least so many runs follow from the run. */
  async hasFollowers(organizationId: string, rootRunId: string, count: number): Promise<boolean> {
    const [row] = await this.tenants.manager(organizationId).query<{ count: number }[]>(
      `select count(*)::integer as count from (
         select 1 from workflow_runs where organization_id = $1 and root_run_id = $2 limit $3) followers`,
      [organizationId, rootRunId, count],
    );
    return row!.count >= count;
  }

  async findByDedupeKey(
    organizationId: string,
    workflowId: string,
    dedupeKey: string,
  ): Promise<Run | null> {
    return await this.tenants
      .manager(organizationId)
      .findOneBy(Run, { organizationId, workflowId, dedupeKey });
  }

  async find(organizationId: string, id: string): Promise<Run | null> {
    return await this.tenants.manager(organizationId).findOneBy(Run, { organizationId, id });
  }

  async getPayload(organizationId: string, id: string): Promise<Buffer> {
    const found = await this.tenants
      .manager(organizationId)
      .findOneOrFail(Run, { where: { organizationId, id }, select: { id: true, payload: true } });
    return found.payload;
  }

  /** Ends a run that has not ended. The new epoch keeps a worker that still holds it from writing. */
  async cancel(organizationId: string, id: string): Promise<boolean> {
    return await this.change(
      organizationId,
      `update workflow_runs set status = 'canceled', reason = 'requested', finished_at = now(), epoch = epoch + 1
       where organization_id = $1 and id = $2 and status in ('queued', 'running', 'waiting') returning id`,
      [id],
    );
  }

  /**
   * Locks the run for this transaction, or throws {@link LeaseLost} when another epoch or an end has come. Returns its
   * contact as it is by now: an earlier step may have set it, and it may have been deleted. Rows that refer to the run
   * can be written meanwhile: what a resume URL was called with does not wait for a step at work.
   */
  async fence(lease: RunLease): Promise<string | null> {
    const [row] = await this.tenants
      .manager(lease.organizationId)
      .query<{ contact_id: string | null }[]>(
        `select contact_id from workflow_runs
       where ${HELD} for no key update`,
        [lease.organizationId, lease.id, lease.epoch],
      );
    if (!row) throw new LeaseLost();
    return row.contact_id;
  }

  async setContact(organizationId: string, id: string, contactId: string): Promise<void> {
    await this.tenants.manager(organizationId).update(Run, { organizationId, id }, { contactId });
  }

  /** Notes that the run got on: its lease begins anew, and its crashes, if that clears it of them, are forgiven. */
  async progress(lease: RunLease, leaseSeconds: number, isClear: boolean): Promise<void> {
    // The time of the clock and not of the transaction, which may have begun long before.
    this.held(
      'progress',
      lease,
      `crashes = crashes * $5::integer, available_at = clock_timestamp() + make_interval(secs => $4)`,
      [leaseSeconds, isClear ? 0 : 1],
    );
  }

  /** Lets go of the run until the first of its waits ends, and says when that is. */
  async park(lease: RunLease, reason: string): Promise<Date> {
    // What is in the journal decides, and not what this worker remembers: others may have shortened a wait.
    const [rows] = await this.tenants.manager(lease.organizationId).query<[{ at: Date }[], number]>(
      `update workflow_runs set status = 'waiting', reason = $4, crashes = 0, available_at = coalesce((
           select min(coalesce(s.wake_at, now())) from run_steps s
           where s.organization_id = $1 and s.run_id = $2 and s.status = 'waiting'), now())
         where ${HELD}
         returning available_at as at`,
      [lease.organizationId, lease.id, lease.epoch, reason],
    );
    if (rows.length === 0) throw new LeaseLost();
    return rows[0]!.at;
  }

  async finish(
    lease: RunLease,
    status: 'succeeded' | 'failed',
    reason: string | null,
  ): Promise<void> {
    this.held('finish', lease, `status = $4, reason = $5, finished_at = clock_timestamp()`, [
      status,
      reason,
    ]);
  }

  /** The time by the clock of the database, which is the one that decides when a wait ends. */
  async now(organizationId: string): Promise<Date> {
    const [row] = await this.tenants
      .manager(organizationId)
      .query<{ now: Date }[]>(`select clock_timestamp() as now`);
    return row!.now;
  }

  /** Does so on the way of the next statement, or before the commit. */
  private held(
    name: string,
    lease: RunLease,
    changes: string,
    values: (string | number | Date | null)[],
  ): void {
    this.tenants.defer(lease.organizationId, {
      name: `switchboard_run_${name}`,
      text: onlyHeld(`update workflow_runs set ${changes}
        where ${HELD} returning id`),
      values: [lease.organizationId, lease.id, lease.epoch, ...values],
      meaning: asLeaseLost,
    });
  }

  private async change(organizationId: string, sql: string, values: unknown[]): Promise<boolean> {
    const [rows] = await this.tenants
      .manager(organizationId)
      .query<[unknown[], number]>(sql, [organizationId, ...values]);
    return rows.length > 0;
  }
}

/** `condition`: of the workflow `w`, besides that it is active and as it must be. */
function insertRuns(condition: string, returned: string): string {
  // By their keys: two statements that wait for keys of each other would wait for ever.
  return `insert into workflow_runs (organization_id, id, workflow_id, workflow_version, trigger_type, payload,
      contact_id, dedupe_key, body_hash, depth, created_at, status, reason, finished_at, root_run_id)
    select w.organization_id, g.id, w.id, w.version, g.trigger_type, g.payload,
      coalesce(
        (select c.id from contacts c where c.organization_id = $1 and c.id = g.contact_id for key share),
        (select c.id from contacts c where c.organization_id = $1 and c.email = g.contact_email for key share)),
      g.dedupe_key, g.body_hash, g.depth, date_trunc('milliseconds', now()),
      case when g.refusal is null then 'queued' else 'failed' end, g.refusal,
      case when g.refusal is not null then now() end, g.root_run_id
    from unnest($2::text[], $3::text[], $4::text[], $5::bytea[], $6::text[], $7::text[], $8::text[], $9::bytea[],
        $10::integer[], $11::text[], $12::text[], $13::text[])
      as g (id, workflow_id, trigger_type, payload, contact_id, contact_email, dedupe_key, body_hash, depth, refusal,
        root_run_id, revision)
    join workflows w on w.organization_id = $1 and w.id = g.workflow_id and w.active and w.deleted_at is null
      and (g.revision is null or w.xmin = g.revision::xid) and ${condition}
    order by g.dedupe_key
    on conflict on constraint workflow_runs_dedupe_key do nothing
    returning ${returned}`;
}

function insertedValues(organizationId: string, runs: readonly NewRun[]): unknown[] {
  return [
    organizationId,
    runs.map(({ id }) => id),
    runs.map(({ workflowId }) => workflowId),
    runs.map(({ triggerType }) => triggerType),
    runs.map(({ payload }) => payload),
    runs.map(({ contactId }) => contactId),
    runs.map(({ contactEmail }) => contactEmail),
    runs.map(({ dedupeKey }) => dedupeKey),
    runs.map(({ bodyHash }) => bodyHash),
    runs.map(({ depth }) => depth),
    runs.map(({ refusal }) => refusal),
    runs.map(({ rootRunId }) => rootRunId),
    runs.map(({ revision }) => revision),
  ];
}
