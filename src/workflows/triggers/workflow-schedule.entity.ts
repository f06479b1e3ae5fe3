import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow } from '../../database/organization-row.js';

/** Stores the next tick of an active workflow with a schedule. */
@Entity('workflow_schedules')
export class WorkflowSchedule extends OrganizationRow {
  @PrimaryColumn('text')
  workflowId: string;

  @Column('timestamptz')
  nextTickAt: Date;

  /** The time from which a worker may claim the tick: the tick itself, or the end of the current lease. */
  @Column('timestamptz')
  availableAt: Date;

  /** The fencing token. Every claim and every change raises it. */
  @Column('integer', { default: 0 })
  epoch: number;
}
