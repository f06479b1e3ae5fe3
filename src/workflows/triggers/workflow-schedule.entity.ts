import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** When an active workflow with a schedule starts next. */
@Entity('workflow_schedules')
export class WorkflowSchedule {
  @PrimaryColumn('text', {
    name: 'organization_id',
    primaryKeyConstraintName: 'workflow_schedules_pkey',
  })
  organizationId: string;

  @PrimaryColumn('text', {
    name: 'workflow_id',
    primaryKeyConstraintName: 'workflow_schedules_pkey',
  })
  workflowId: string;

  @Column('timestamptz', { name: 'next_tick_at' })
  nextTickAt: Date;

  /** When a worker may take the tick: its time, or the end of the lease of the worker that has it. */
  @Index('workflow_schedules_due_idx')
  @Column('timestamptz', { name: 'available_at' })
  availableAt: Date;

  /** Every claim and every change takes the next one; who held an earlier one may not write. */
  @Column('integer', { default: 0 })
  epoch: number;
}
