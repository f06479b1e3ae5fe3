import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { ToolPolicy } from './tool-policies.js';
import { ToolPolicyRow } from './tool-policy-row.entity.js';

@Injectable()
export class ToolPoliciesRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Makes all other changes of the organization's policies wait until this transaction ends. */
  async lock(organizationId: string): Promise<void> {
    // NO KEY UPDATE waits for its like only: rows that refer to the organization can still be added meanwhile.
    await this.tenants
      .manager(organizationId)
      .query('select from organizations where id = $1 for no key update', [organizationId]);
  }

  async list(organizationId: string): Promise<ToolPolicyRow[]> {
    return await this.tenants.manager(organizationId).findBy(ToolPolicyRow, { organizationId });
  }

  async insert(organizationId: string, tool: string, policy: ToolPolicy): Promise<void> {
    await this.tenants
      .manager(organizationId)
      .insert(ToolPolicyRow, { organizationId, tool, ...policy });
  }

  async delete(organizationId: string, tools: readonly string[]): Promise<void> {
    await this.tenants
      .manager(organizationId)
      .delete(ToolPolicyRow, { organizationId, tool: In(tools) });
  }
}
