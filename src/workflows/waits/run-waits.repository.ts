import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { RunWaitState } from './run-wait.entity.js';
import type { RunStatus } from '../journal/run.entity.js';
import type { StepStatus } from '../definitions/step-engine.js';
import type { WaitEvent } from '../definitions/wait-event.js';

/** What a step is to wait for. */
export interface NewWait {
  runId: string;
  stepId: string;
  event: WaitEvent;
  /** Null: of any contact. */
  contactId?: string | null;
  condition?: string;
  bindings?: object | null;
  childRunId?: string;
}

/** What became of a wait. */
export interface WaitOutcome {
  state: RunWaitState;
  payload: object | null;
  error: string | null;
  childRunId: string | null;
}

/** Whether it makes sense to call a resume URL. */
export interface WaitingStep {
  run: RunStatus;
  step: StepStatus | null;
  wait: RunWaitState | null;
}

/**
 * What runs wait for. Whoever parks a run locks its waits first; whoever delivers to a wait locks that wait, and the
 * run only if it is free. So the one sees what the other did, and a delivery never waits for a step at work.
 */
@Injectable()
export class RunWaitsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Begins a wait, and says whether what it waits for was there before it: then it is over at once. */
  async arm(organizationId: string, wait: NewWait): Promise<RunWaitState> {
    const [row] = await this.tenants.manager(organizationId).query<{ state: RunWaitState }[]>(
      `insert into run_waits as w (organization_id, run_id, step_id, event, contact_id, condition, bindings,
         child_run_id, state, armed_at, armed_xid, armed_snapshot)
       values ($1, $2, $3, $4, $5, $6, $7, $8, 'armed', clock_timestamp(), pg_current_xact_id()::text,
         pg_current_snapshot()::text)
       on conflict on constraint run_waits_pkey do update set
         event = excluded.event, contact_id = excluded.contact_id, condition = excluded.condition,
         bindings = excluded.bindings, child_run_id = excluded.child_run_id, armed_at = excluded.armed_at,
         armed_xid = excluded.armed_xid, armed_snapshot = excluded.armed_snapshot,
         state = case when w.state = 'delivered' then w.state else excluded.state end
       returning state`,
      [
        organizationId,
        wait.runId,
        wait.stepId,
        wait.event,
        wait.contactId ?? '',
        wait.condition ?? null,
        wait.bindings ? JSON.stringify(wait.bindings) : null,
        wait.childRunId ?? null,
      ],
    );
    return row!.state;
  }

  /** What the given steps wait for, which stays as it is until the transaction ends. */
  async lock(
    organizationId: string,
    runId: string,
    stepIds: readonly string[],
  ): Promise<{ stepId: string; isDelivered: boolean }[]> {
    if (stepIds.length === 0) return [];
    const rows = await this.tenants
      .manager(organizationId)
      .query<{ step_id: string; state: RunWaitState }[]>(
        `select step_id, state from run_waits
         where organization_id = $1 and run_id = $2 and step_id = any($3) and state in ('armed', 'delivered')
         order by step_id for no key update`,
        [organizationId, runId, stepIds],
      );
    return rows.map(({ step_id: stepId, state }) => ({
      stepId,
      isDelivered: state === 'delivered',
    }));
  }

  /** What became of a wait by now; nothing more comes of it until the transaction ends. */
  async take(organizationId: string, runId: string, stepId: string): Promise<WaitOutcome | null> {
    const [row] = await this.tenants.manager(organizationId).query<
      {
        state: RunWaitState;
        payload: object | null;
        error: string | null;
        child_run_id: string | null;
      }[]
    >(
      `select state, payload, error, child_run_id from run_waits
         where organization_id = $1 and run_id = $2 and step_id = $3 for no key update`,
      [organizationId, runId, stepId],
    );
    return row ? { ...row, childRunId: row.child_run_id } : null;
  }

  /**
   * Ends a wait. Of a resume URL stays how it ended: whoever calls it again must get the same answer, or be told that
   * it is too late.
   */
  async end(organizationId: string, runId: string, stepId: string): Promise<void> {
    await this.tenants.manager(organizationId).query(
      `with kept as (
         update run_waits set state = case when state = 'delivered' then 'consumed' else 'closed' end, payload = null
         where organization_id = $1 and run_id = $2 and step_id = $3 and event = 'resume'
       )
       delete from run_waits where organization_id = $1 and run_id = $2 and step_id = $3 and event <> 'resume'`,
      [organizationId, runId, stepId],
    );
  }

  /** How far a run and one of its steps are, and what became of the step's wait; null for a run that is gone. */
  async find(organizationId: string, runId: string, stepId: string): Promise<WaitingStep | null> {
    const [row] = await this.tenants.manager(organizationId).query<WaitingStep[]>(
      `select r.status as run, s.status as step, w.state as wait from workflow_runs r
       left join run_steps s on s.organization_id = r.organization_id and s.run_id = r.id and s.step_id = $3
       left join run_waits w on w.organization_id = r.organization_id and w.run_id = r.id and w.step_id = $3
       where r.organization_id = $1 and r.id = $2 for key share of r`,
      [organizationId, runId, stepId],
    );
    return row ?? null;
  }

  /**
   * Stores what a resume URL was called with, if it is the first, and says what the state was before. The row may be
   * there because the step begins at this moment.
   */
  async resume(
    organizationId: string,
    runId: string,
    stepId: string,
    payload: object,
  ): Promise<RunWaitState | undefined> {
    const manager = this.tenants.manager(organizationId);
    const values = [organizationId, runId, stepId, JSON.stringify(payload)];
    const inserted = await manager.query<unknown[]>(
      `insert into run_waits (organization_id, run_id, step_id, event, state, payload)
       values ($1, $2, $3, 'resume', 'delivered', $4)
       on conflict on constraint run_waits_pkey do nothing returning run_id`,
      values,
    );
    if (inserted.length > 0) return undefined;
    const [row] = await manager.query<{ state: RunWaitState }[]>(
      `select state from run_waits where organization_id = $1 and run_id = $2 and step_id = $3 for no key update`,
      values.slice(0, 3),
    );
    if (row!.state === 'armed') {
      await manager.query(
        `update run_waits set state = 'delivered', payload = $4
         where organization_id = $1 and run_id = $2 and step_id = $3`,
        values,
      );
    }
    return row!.state;
  }

  /** Lets workers go on with those of the runs that are parked. */
  async wake(organizationId: string, runIds: readonly string[]): Promise<string[]> {
    if (runIds.length === 0) return [];
    // One that is locked is in the hands of somebody who looks at its waits before parking it.
    const [rows] = await this.tenants.manager(organizationId).query<[{ id: string }[], number]>(
      `update workflow_runs r set available_at = now()
       where r.organization_id = $1 and r.id in (
         select p.id from workflow_runs p
         where p.organization_id = $1 and p.id = any($2) and p.status = 'waiting'
         for no key update skip locked)
       returning r.id`,
      [organizationId, runIds],
    );
    return rows.map(({ id }) => id);
  }

  /** The runs that wait for the end of this one. */
  async parentsOf(organizationId: string, childRunId: string): Promise<string[]> {
    const rows = await this.tenants.manager(organizationId).query<{ run_id: string }[]>(
      `select run_id from run_waits
       where organization_id = $1 and child_run_id = $2 and state = 'delivered'`,
      [organizationId, childRunId],
    );
    return rows.map((row) => row.run_id);
  }
}
