import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Confirmation } from './tool-policies.js';

/** Stores the policy of an organization for one tool. A tool without a row has the default policy. */
@Entity('tool_policies')
export class ToolPolicyRow {
  @PrimaryColumn('text')
  organizationId: string;

  @PrimaryColumn('text')
  tool: string;

  @Column('boolean', { default: false })
  hidden: boolean;

  @Column('text', { default: 'never' })
  confirmation: Confirmation;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
