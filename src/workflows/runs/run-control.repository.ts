import { Injectable } from '@nestjs/common';
import { keptContact } from '../../contacts/contact-statements.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { ChainPlace } from '../triggers/run-chain.js';
import type { EditedPayload } from './edited-payload.js';

export interface EndedRun extends ChainPlace {
  readonly id: string;
  readonly workflowId: string;
  readonly workflowVersion: number;
}

/** A run that is queued again. */
export interface RequeuedRun extends ChainPlace {
  readonly id: string;
  readonly version: number;
}

/** The copy of a run. */
export interface ReplayedRun {
  readonly id: string;
  readonly replay_of: string;
  /** True when the caller must copy the file with the payload, in the same transaction. */
  readonly isLarge: boolean;
}

/** Changes many runs in one transaction. Statements lock rows in the order of ids, so that they cannot deadlock. */
@Injectable()
export class RunControlRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /**
   * Cancels the runs that have not ended and returns their ids. The new epoch fences off workers that still execute
   * them. Without `wait`, runs that a worker has locked are left out. Waiting for many runs would block the workers of
   * all rows that this transaction has already locked.
   */
  async cancel(organizationId: string, ids: readonly string[], wait: boolean): Promise<string[]> {
    const rows = await this.tenants.session(organizationId).query<{ id: string }>(
      `with open as (
         select id from workflow_runs
         where organization_id = $1 and id = any($2) and status in ('queued', 'running', 'waiting')
         order by id for ${wait ? 'no key update' : 'update skip locked'})
       update workflow_runs r
       set status = 'canceled', reason = 'requested', finished_at = now(), epoch = r.epoch + 1
       from open where r.organization_id = $1 and r.id = open.id returning r.id`,
      [organizationId, ids],
    );
    return rows.map(({ id }) => id);
  }

  /** Locks the failed and canceled runs. Without `wait`, runs that another transaction has locked are left out. */
  async lockEnded(
    organizationId: string,
    ids: readonly string[],
    wait: boolean,
  ): Promise<EndedRun[]> {
    return await this.tenants.session(organizationId).query<EndedRun>(
      `select id, workflow_id as "workflowId", workflow_version as "workflowVersion", depth,
         root_run_id as "rootRunId"
       from workflow_runs
       where organization_id = $1 and id = any($2) and status in ('failed', 'canceled')
       order by id for update ${wait ? '' : 'skip locked'}`,
      [organizationId, ids],
    );
  }

  /**
   * Queues locked runs again, each with its version and its place in a chain. Waits that are still open continue. A run
   * that is its own `rootRunId` is stored as the first run of its chain.
   */
  async requeue(organizationId: string, runs: readonly RequeuedRun[]): Promise<void> {
    await this.tenants.session(organizationId).query(
      `update workflow_runs r set workflow_version = c.version, status = 'queued', reason = null, finished_at = null,
         crashes = 0, available_at = now(), depth = c.depth, root_run_id = nullif(c.root_run_id, r.id)
       from unnest($2::text[], $3::integer[], $4::integer[], $5::text[]) as c (id, version, depth, root_run_id)
       where r.organization_id = $1 and r.id = c.id`,
      [
        organizationId,
        runs.map(({ id }) => id),
        runs.map(({ version }) => version),
        runs.map(({ depth }) => depth),
        runs.map(({ rootRunId }) => rootRunId),
      ],
    );
  }

  /**
   * Inserts a copy of each run, without the file of a large payload. Runs of deleted or inactive workflows
   * are left out. The limits of the workflow apply, except that later starts do not delay a copy. A deleted contact is
   * left out of the copy.
   */
  async replay(
    organizationId: string,
    runs: readonly { id: string; newId: string }[],
    version: 'same' | 'latest',
    edited?: EditedPayload,
  ): Promise<ReplayedRun[]> {
    const rows = await this.tenants.session(organizationId).query<ReplayedRun>(
      `insert into workflow_runs (organization_id, id, workflow_id, workflow_version, trigger_type, payload,
           contact_id, body_hash, replay_of, created_at, limited, slot_key, delayed_by, reason, request,
           large_payload, lost_contact)
         select o.organization_id, n.new_id, o.workflow_id,
           case $4 when 'same' then o.workflow_version else w.version end, o.trigger_type,
           coalesce($5::bytea, o.payload),
           ${keptContact('case when $5::bytea is null then o.contact_id else $7::text end')},
           coalesce($6::bytea, o.body_hash), o.id, date_trunc('milliseconds', now()), l.limited,
           case when $5::bytea is null then o.slot_key else $8::text end,
           case when l.limited then 'rate' end, case when l.limited then 'rate' end,
           o.request, case when $5::bytea is null then o.large_payload end, $5::bytea is null and o.lost_contact
         from unnest($2::text[], $3::text[]) as n (id, new_id)
         join workflow_runs o on o.organization_id = $1 and o.id = n.id
         join workflows w on w.organization_id = $1 and w.id = o.workflow_id and w.active and w.deleted_at is null
         cross join lateral (select w.trigger_options -> 'limits' is not null as limited) l
         returning id, replay_of, large_payload is not null as "isLarge"`,
      [
        organizationId,
        runs.map(({ id }) => id),
        runs.map(({ newId }) => newId),
        version,
        edited?.payload ?? null,
        edited?.bodyHash ?? null,
        edited?.contactId ?? null,
        edited?.slotKey ?? null,
      ],
    );
    return rows;
  }
}
