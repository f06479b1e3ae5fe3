import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';

/** A run that has ended, locked until the transaction ends. */
export interface EndedRun {
  id: string;
  workflowId: string;
  workflowVersion: number;
}

/** What is done to many runs by one statement each. Locks are taken in the order of ids, or not at all. */
@Injectable()
export class RunControlRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /**
   * Ends those of the runs that have not ended, and returns their ids. The new epoch keeps workers that still hold them
   * from writing. A run whose row a worker has locked is left out: waiting for it would stop all workers whose rows are
   * locked here meanwhile.
   */
  async cancel(organizationId: string, ids: readonly string[]): Promise<string[]> {
    const [rows] = await this.tenants.manager(organizationId).query<[{ id: string }[], number]>(
      `with free as (
         select id from workflow_runs
         where organization_id = $1 and id = any($2) and status in ('queued', 'running', 'waiting')
         order by id for update skip locked)
       update workflow_runs r
       set status = 'canceled', reason = 'requested', finished_at = now(), epoch = r.epoch + 1
       from free where r.organization_id = $1 and r.id = free.id returning r.id`,
      [organizationId, ids],
    );
    return rows.map(({ id }) => id);
  }

  /** Locks those of the runs that failed or were canceled. `wait`: also those that another transaction has locked. */
  async lockEnded(
    organizationId: string,
    ids: readonly string[],
    wait: boolean,
  ): Promise<EndedRun[]> {
    return await this.tenants.manager(organizationId).query<EndedRun[]>(
      `select id, workflow_id as "workflowId", workflow_version as "workflowVersion" from workflow_runs
       where organization_id = $1 and id = any($2) and status in ('failed', 'canceled')
       order by id for update ${wait ? '' : 'skip locked'}`,
      [organizationId, ids],
    );
  }

  /** Puts locked runs back into the queue, each in its version; they then wait again for what they still wait for. */
  async requeue(
    organizationId: string,
    runs: readonly { id: string; version: number }[],
  ): Promise<void> {
    await this.tenants.manager(organizationId).query(
      `update workflow_runs r set workflow_version = c.version, status = 'queued', reason = null, finished_at = null,
         crashes = 0, available_at = now()
       from unnest($2::text[], $3::integer[]) as c (id, version)
       where r.organization_id = $1 and r.id = c.id`,
      [organizationId, runs.map(({ id }) => id), runs.map(({ version }) => version)],
    );
  }

  /**
   * Makes a run like each of the `runs`, under the limits of the workflow but never put off by later starts, and returns
   * which it made: not those of a workflow that is gone or inactive. A contact that is gone is none, as it is of the run
   * itself.
   */
  async replay(
    organizationId: string,
    runs: readonly { id: string; newId: string }[],
    version: 'same' | 'latest',
  ): Promise<Map<string, string>> {
    const rows = await this.tenants
      .manager(organizationId)
      .query<{ id: string; replay_of: string }[]>(
        `insert into workflow_runs (organization_id, id, workflow_id, workflow_version, trigger_type, payload,
           contact_id, body_hash, replay_of, created_at, limited, slot_key, delayed_by, reason)
         select o.organization_id, n.new_id, o.workflow_id,
           case $4 when 'same' then o.workflow_version else w.version end, o.trigger_type, o.payload,
           (select c.id from contacts c where c.organization_id = $1 and c.id = o.contact_id for key share),
           o.body_hash, o.id, date_trunc('milliseconds', now()), l.limited, o.slot_key,
           case when l.limited then 'rate' end, case when l.limited then 'rate' end
         from unnest($2::text[], $3::text[]) as n (id, new_id)
         join workflow_runs o on o.organization_id = $1 and o.id = n.id
         join workflows w on w.organization_id = $1 and w.id = o.workflow_id and w.active and w.deleted_at is null
         cross join lateral (select w.trigger_options -> 'limits' is not null as limited) l
         returning id, replay_of`,
        [organizationId, runs.map(({ id }) => id), runs.map(({ newId }) => newId), version],
      );
    return new Map(rows.map((row) => [row.replay_of, row.id]));
  }
}
