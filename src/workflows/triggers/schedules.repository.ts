import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { WorkflowSchedule } from './workflow-schedule.entity.js';

/** The due time of a tick, and the current time of the database clock. */
export interface DueTick {
  readonly at: Date;
  readonly now: Date;
}

@Injectable()
export class SchedulesRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Sets or removes the next tick. The new epoch fences off a worker that claimed an earlier tick. */
  async set(organizationId: string, workflowId: string, next: Date | undefined): Promise<void> {
    if (!next) {
      const schedules = this.tenants.repository(organizationId, WorkflowSchedule);
      await schedules.delete({ organizationId, workflowId });
      return;
    }
    await this.tenants.session(organizationId).query(
      `insert into workflow_schedules as s (organization_id, workflow_id, next_tick_at, available_at)
       values ($1, $2, $3, $3)
       on conflict on constraint workflow_schedules_pkey do update
         set next_tick_at = excluded.next_tick_at, available_at = excluded.available_at, epoch = s.epoch + 1`,
      [organizationId, workflowId, next],
    );
  }

  /** Locks the claimed tick until the transaction ends. Returns undefined when its epoch is no longer current. */
  async fence(
    organizationId: string,
    workflowId: string,
    epoch: number,
  ): Promise<DueTick | undefined> {
    const [row] = await this.tenants.session(organizationId).query<DueTick>(
      `select next_tick_at as at, clock_timestamp() as now from workflow_schedules
       where organization_id = $1 and workflow_id = $2 and epoch = $3 for update`,
      [organizationId, workflowId, epoch],
    );
    return row;
  }

  /** Makes the claimed tick due after the given seconds, unless another worker has claimed it. */
  async pause(
    organizationId: string,
    workflowId: string,
    epoch: number,
    seconds: number,
  ): Promise<void> {
    await this.tenants.session(organizationId).query(
      `update workflow_schedules set available_at = clock_timestamp() + make_interval(secs => $4)
       where organization_id = $1 and workflow_id = $2 and epoch = $3`,
      [organizationId, workflowId, epoch, seconds],
    );
  }
}
