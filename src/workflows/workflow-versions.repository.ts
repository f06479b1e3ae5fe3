import { Injectable } from '@nestjs/common';
import { IsNull, LessThan } from 'typeorm';
import { TenantDatabase } from '../database/tenant-database.js';
import type { VersionContent } from './version-content.js';
import { WorkflowVersion } from './workflow-version.entity.js';

@Injectable()
export class WorkflowVersionsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  async insert(
    organizationId: string,
    row: Omit<WorkflowVersion, 'organizationId' | 'createdAt'>,
  ): Promise<void> {
    await this.tenants.manager(organizationId).insert(WorkflowVersion, { organizationId, ...row });
  }

  /** Writes down what an older release did not keep of a version, while it is still known. */
  async complete(
    organizationId: string,
    workflowId: string,
    version: number,
    content: VersionContent,
  ): Promise<void> {
    await this.tenants
      .manager(organizationId)
      .createQueryBuilder()
      .update(WorkflowVersion)
      .set({ content })
      .where({ organizationId, workflowId, version, content: IsNull() })
      .execute();
  }

  async find(
    organizationId: string,
    workflowId: string,
    version: number,
  ): Promise<WorkflowVersion | null> {
    return await this.tenants
      .manager(organizationId)
      .findOneBy(WorkflowVersion, { organizationId, workflowId, version });
  }

  /** Versions of the workflow, the newest first, at most `limit`; without their steps. */
  async list(
    organizationId: string,
    workflowId: string,
    page: { before?: number; limit: number },
  ): Promise<Omit<WorkflowVersion, 'steps' | 'content'>[]> {
    return await this.tenants.manager(organizationId).find(WorkflowVersion, {
      select: {
        organizationId: true,
        workflowId: true,
        version: true,
        actorKind: true,
        actorId: true,
        restoredFrom: true,
        createdAt: true,
      },
      where: {
        organizationId,
        workflowId,
        ...(page.before !== undefined && { version: LessThan(page.before) }),
      },
      order: { version: 'DESC' },
      take: page.limit,
    });
  }
}
