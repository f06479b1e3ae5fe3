import type { StepStatus } from '../definitions/steps/step-kind.js';
import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { RunWaitState } from './run-wait.entity.js';
import type { RunStatus } from '../journal/run.entity.js';
import type { WaitEvent } from '../definitions/steps/event-wait-step.js';

export interface NewWait {
  runId: string;
  stepId: string;
  event: WaitEvent;
  /** The contact of the events that end the wait. Null means that events about any contact end it. */
  contactId?: string | null;
  condition?: string;
  bindings?: object | null;
  endsAt: Date;
  childRunId?: string;
  /** True when the child run is canceled together with this run. */
  cancelsChild?: boolean;
}

/** The state of a wait, and the event or the failed condition that ended it. */
export interface WaitOutcome {
  state: RunWaitState;
  payload: object | null;
  error: string | null;
}

/** The states that decide whether a resume URL can still be called. */
export interface WaitingStep {
  run: RunStatus;
  step: StepStatus | null;
  wait: RunWaitState | null;
}

/**
 * Reads and writes the waits of runs. A transaction that suspends a run locks its waits first. A delivery locks the
 * wait, and locks the run only if nobody else has locked it. So neither the transaction nor the delivery misses a
 * change of the other, and no delivery waits for a step.
 */
@Injectable()
export class RunWaitsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /**
   * Begins a wait and returns its state: `delivered` when the resume URL was called before the step began. When a step
   * waits for a run, the new wait replaces the earlier wait of this step, even a delivered wait.
   */
  async arm(organizationId: string, wait: NewWait): Promise<RunWaitState> {
    const [row] = await this.tenants.session(organizationId).query<{ state: RunWaitState }>(
      `insert into run_waits as w (organization_id, run_id, step_id, event, contact_id, condition, bindings,
         child_run_id, cancels_child, ends_at, state, armed_at, armed_xid, armed_snapshot)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'armed', clock_timestamp(), pg_current_xact_id()::text,
         pg_current_snapshot()::text)
       on conflict on constraint run_waits_pkey do update set
         event = excluded.event, contact_id = excluded.contact_id, condition = excluded.condition,
         bindings = excluded.bindings, child_run_id = excluded.child_run_id, cancels_child = excluded.cancels_child,
         ends_at = excluded.ends_at, is_swept = false, armed_at = excluded.armed_at,
         armed_xid = excluded.armed_xid, armed_snapshot = excluded.armed_snapshot,
         state = case when w.state = 'delivered' and excluded.child_run_id is null then w.state else excluded.state end
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
        wait.cancelsChild ?? false,
        wait.endsAt,
      ],
    );
    return row!.state;
  }

  async lock(
    organizationId: string,
    runId: string,
    stepIds: readonly string[],
  ): Promise<{ stepId: string; isDelivered: boolean }[]> {
    if (stepIds.length === 0) return [];
    return await this.tenants.session(organizationId).query(
      `select step_id as "stepId", state = 'delivered' as "isDelivered" from run_waits
       where organization_id = $1 and run_id = $2 and step_id = any($3) and state in ('armed', 'delivered')
       order by step_id for no key update`,
      [organizationId, runId, stepIds],
    );
  }

  async findForUpdate(
    organizationId: string,
    runId: string,
    stepId: string,
  ): Promise<WaitOutcome | undefined> {
    const [row] = await this.tenants.session(organizationId).query<WaitOutcome>(
      `select state, payload, error from run_waits
       where organization_id = $1 and run_id = $2 and step_id = $3 for no key update`,
      [organizationId, runId, stepId],
    );
    return row;
  }

  /** Ends a wait. The state of a resume URL is kept, so that later calls get the right response. */
  async end(organizationId: string, runId: string, stepId: string): Promise<void> {
    await this.tenants.session(organizationId).query(
      `with kept as (
         update run_waits set state = case when state = 'delivered' then 'consumed' else 'closed' end, payload = null
         where organization_id = $1 and run_id = $2 and step_id = $3 and event = 'resume'
       )
       delete from run_waits where organization_id = $1 and run_id = $2 and step_id = $3 and event <> 'resume'`,
      [organizationId, runId, stepId],
    );
  }

  /** Cancels the run for which a step waits, unless `cancelsChild` of the wait is false. */
  async cancelChild(organizationId: string, runId: string, stepId: string): Promise<void> {
    await this.tenants.session(organizationId).query(
      `update workflow_runs c
       set status = 'canceled', reason = 'parent_ended', finished_at = now(), epoch = c.epoch + 1
       from run_waits w
       where w.organization_id = $1 and w.run_id = $2 and w.step_id = $3 and w.state = 'armed' and w.cancels_child
         and c.organization_id = $1 and c.id = w.child_run_id and c.status in ('queued', 'running', 'waiting')`,
      [organizationId, runId, stepId],
    );
  }

  /** Returns the states of a run, of a step and of its wait, or undefined when the run does not exist. */
  async find(
    organizationId: string,
    runId: string,
    stepId: string,
  ): Promise<WaitingStep | undefined> {
    const [row] = await this.tenants.session(organizationId).query<WaitingStep>(
      `select r.status as run, s.status as step, w.state as wait from workflow_runs r
       left join run_steps s on s.organization_id = r.organization_id and s.run_id = r.id and s.step_id = $3
       left join run_waits w on w.organization_id = r.organization_id and w.run_id = r.id and w.step_id = $3
       where r.organization_id = $1 and r.id = $2 for key share of r`,
      [organizationId, runId, stepId],
    );
    return row;
  }

  /**
   * Stores the payload of the first call of a resume URL, and returns the state that the wait had before. Undefined
   * means that the step has not begun. If the step begins at the same time, its transaction may insert the row first.
   */
  async resume(
    organizationId: string,
    runId: string,
    stepId: string,
    payload: object,
  ): Promise<RunWaitState | undefined> {
    const session = this.tenants.session(organizationId);
    const values = [organizationId, runId, stepId, JSON.stringify(payload)];
    const inserted = await session.query<unknown>(
      `insert into run_waits (organization_id, run_id, step_id, event, state, payload)
       values ($1, $2, $3, 'resume', 'delivered', $4)
       on conflict on constraint run_waits_pkey do nothing returning run_id`,
      values,
    );
    if (inserted.length > 0) return undefined;
    const [row] = await session.query<{ state: RunWaitState }>(
      `select state from run_waits where organization_id = $1 and run_id = $2 and step_id = $3 for no key update`,
      values.slice(0, 3),
    );
    if (row!.state === 'armed') {
      await session.query(
        `update run_waits set state = 'delivered', payload = $4
         where organization_id = $1 and run_id = $2 and step_id = $3`,
        values,
      );
    }
    return row!.state;
  }

  /** Makes the given runs due if they are waiting. Returns the ids of these runs. */
  async wake(organizationId: string, runIds: readonly string[]): Promise<string[]> {
    if (runIds.length === 0) return [];
    // A locked run is skipped. Its worker checks the waits before it suspends the run. When another transaction has
    // locked the run, `gate.wake_runs` wakes the run later.
    const rows = await this.tenants.session(organizationId).query<{ id: string }>(
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

  async findParents(organizationId: string, childRunId: string): Promise<string[]> {
    const rows = await this.tenants.session(organizationId).query<{ run_id: string }>(
      `select run_id from run_waits
       where organization_id = $1 and child_run_id = $2 and state = 'delivered'`,
      [organizationId, childRunId],
    );
    return rows.map((row) => row.run_id);
  }
}
