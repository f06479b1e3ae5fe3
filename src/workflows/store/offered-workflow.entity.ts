import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import type { ObjectSchema } from '../../tools/schema/json-schema.js';

/** How a workflow is offered to the agents of its organization as a tool of its own. */
@Entity('workflow_tools')
@Unique('workflow_tools_name_key', ['organizationId', 'name'])
export class WorkflowTool {
  @PrimaryColumn('text', {
    name: 'organization_id',
    primaryKeyConstraintName: 'workflow_tools_pkey',
  })
  organizationId: string;

  @PrimaryColumn('text', { name: 'workflow_id', primaryKeyConstraintName: 'workflow_tools_pkey' })
  workflowId: string;

  @Column('text')
  name: string;

  @Column('text')
  title: string;

  @Column('text')
  description: string;

  @Column('json', { name: 'input_schema' })
  inputSchema: ObjectSchema;

  @Column('integer', { name: 'wait_seconds' })
  waitSeconds: number;

  /** Template of what a call answers; null: what the last step returned. */
  @Column('json', { nullable: true })
  result: Record<string, unknown> | null;

  /** Another text with every change. */
  @Column('text')
  revision: string;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt: Date;
}
