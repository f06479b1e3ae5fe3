import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Confirmation } from './tool-policies.js';

/** Stores the policy of an organization for one tool. A tool without a row has the default policy. */
@Entity('tool_policies')
export class ToolPolicyRow {
  @PrimaryColumn('text', {
    name: 'organization_id',
    primaryKeyConstraintName: 'tool_policies_pkey',
  })
  organizationId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'tool_policies_pkey' })
  tool: string;

  @Column('boolean', { default: false })
  hidden: boolean;

  @Column('text', { default: 'never' })
  confirmation: Confirmation;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt: Date;
}
