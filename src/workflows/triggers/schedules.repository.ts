import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { WorkflowSchedule } from './workflow-schedule.entity.js';

/** A tick in the hands of this transaction, and the time by the clock of the database. */
export interface DueTick {
  readonly at: Date;
  readonly now: Date;
}

@Injectable()
export class SchedulesRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Sets the next tick, and takes the workflow out of the hands of a worker that has an earlier one. */
  async set(organizationId: string, workflowId: string, nextTickAt: Date): Promise<void> {
    await this.tenants.manager(organizationId).query(
      `insert into workflow_schedules as s (organization_id, workflow_id, next_tick_at, available_at)
       values ($1, $2, $3, $3)
       on conflict on constraint workflow_schedules_pkey do update
         set next_tick_at = excluded.next_tick_at, available_at = excluded.available_at, epoch = s.epoch + 1`,
      [organizationId, workflowId, nextTickAt],
    );
  }

  async delete(organizationId: string, workflowId: string): Promise<void> {
    await this.tenants
      .manager(organizationId)
      .delete(WorkflowSchedule, { organizationId, workflowId });
  }

  /** The tick, locked until this transaction ends; undefined when another claim or a change has come meanwhile. */
  async fence(
    organizationId: string,
    workflowId: string,
    epoch: number,
  ): Promise<DueTick | undefined> {
    const [row] = await this.tenants.manager(organizationId).query<DueTick[]>(
      `select next_tick_at as at, clock_timestamp() as now from workflow_schedules
       where organization_id = $1 and workflow_id = $2 and epoch = $3 for update`,
      [organizationId, workflowId, epoch],
    );
    return row;
  }
}
