import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Step } from './definition.js';

/** The steps of a workflow as they were at one time. Rows are never changed. */
@Entity('workflow_versions')
export class WorkflowVersion {
  @PrimaryColumn('text', {
    name: 'organization_id',
    primaryKeyConstraintName: 'workflow_versions_pkey',
  })
  organizationId: string;

  @PrimaryColumn('text', {
    name: 'workflow_id',
    primaryKeyConstraintName: 'workflow_versions_pkey',
  })
  workflowId: string;

  @PrimaryColumn('integer', { primaryKeyConstraintName: 'workflow_versions_pkey' })
  version: number;

  @Column('json')
  steps: Step[];

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt: Date;
}
