import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { ToolPolicy } from './tool-policies.js';
import { ToolPolicyRow } from './tool-policy-row.entity.js';

/** Reads and writes the tool policies of organizations. */
@Injectable()
export class ToolPoliciesRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Locks the organization, so that other changes of its policies wait until this transaction ends. */
  async lock(organizationId: string): Promise<void> {
    // FOR UPDATE would also block inserts of rows that refer to the organization.
    await this.tenants
      .session(organizationId)
      .query('select from organizations where id = $1 for no key update', [organizationId]);
  }

  async list(organizationId: string): Promise<ToolPolicyRow[]> {
    return await this.tenants
      .session(organizationId)
      .repository(ToolPolicyRow)
      .findBy({ organizationId });
  }

  async insert(organizationId: string, tool: string, policy: ToolPolicy): Promise<void> {
    await this.tenants
      .session(organizationId)
      .repository(ToolPolicyRow)
      .insert({ organizationId, tool, ...policy });
  }

  async delete(organizationId: string, tools: readonly string[]): Promise<void> {
    await this.tenants
      .session(organizationId)
      .repository(ToolPolicyRow)
      .delete({ organizationId, tool: In(tools) });
  }
}
