import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow } from '../database/organization-row.js';
import type { Confirmation } from './tool-policies.js';

/** Stores the policy of an organization for one tool. A tool without a row has the default policy. */
@Entity('tool_policies')
export class ToolPolicyRow extends OrganizationRow {
  @PrimaryColumn('text')
  tool: string;

  @Column('boolean', { default: false })
  hidden: boolean;

  @Column('text', { default: 'never' })
  confirmation: Confirmation;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
