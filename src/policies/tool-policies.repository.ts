import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { ToolPolicy } from './tool-policies.js';
import { ToolPolicyRow } from './tool-policy-row.entity.js';

@Injectable()
export class ToolPoliciesRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  async list(organizationId: string): Promise<ToolPolicyRow[]> {
    return await this.tenants.repository(organizationId, ToolPolicyRow).findBy({ organizationId });
  }

  async insert(organizationId: string, tool: string, policy: ToolPolicy): Promise<void> {
    await this.tenants
      .repository(organizationId, ToolPolicyRow)
      .insert({ organizationId, tool, ...policy });
  }

  async delete(organizationId: string, tools: readonly string[]): Promise<void> {
    await this.tenants
      .repository(organizationId, ToolPolicyRow)
      .delete({ organizationId, tool: In(tools) });
  }
}
