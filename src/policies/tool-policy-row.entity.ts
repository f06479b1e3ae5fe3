import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Confirmation } from './tool-policies.js';

/** What an organization has decided about one tool, where that is not what holds without a decision. */
@Entity('tool_policies')
export class ToolPolicyRow {
  @PrimaryColumn('text', {
    name: 'organization_id',
    primaryKeyConstraintName: 'tool_policies_pkey',
  })
  organizationId: string;

  /** Name of the tool. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'tool_policies_pkey' })
  tool: string;

  @Column('boolean', { default: false })
  hidden: boolean;

  @Column('text', { default: 'never' })
  confirmation: Confirmation;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt: Date;
}
