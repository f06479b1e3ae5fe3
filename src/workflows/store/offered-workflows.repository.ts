import { Injectable } from '@nestjs/common';
import type { Repository } from 'typeorm';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { OfferedWorkflow, Workflow } from './workflow.entity.js';

@Injectable()
export class OfferedWorkflowsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Makes other changes of the organization's offered workflows wait until this transaction ends. */
  async lock(organizationId: string): Promise<void> {
    await this.tenants.lockOrganization(organizationId);
  }

  async list(organizationId: string): Promise<OfferedWorkflow[]> {
    return await this.rows(organizationId).find({
      where: { organizationId },
      order: { name: 'ASC' },
    });
  }

  async listActive(organizationId: string): Promise<OfferedWorkflow[]> {
    return await this.rows(organizationId)
      .createQueryBuilder('t')
      .innerJoin(
        Workflow,
        'w',
        'w.organization_id = t.organization_id and w.id = t.workflow_id and w.active and w.deleted_at is null',
      )
      .where('t.organization_id = :organizationId', { organizationId })
      .orderBy('t.name')
      .getMany();
  }

  async find(organizationId: string, workflowId: string): Promise<OfferedWorkflow | null> {
    return await this.rows(organizationId).findOneBy({ organizationId, workflowId });
  }

  async save(
    organizationId: string,
    tool: Omit<OfferedWorkflow, 'organizationId' | 'updatedAt'>,
  ): Promise<void> {
    await this.tenants.session(organizationId).query(
      `insert into offered_workflows (organization_id, workflow_id, name, title, description, input_schema, wait_seconds,
         result, revision)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       on conflict on constraint offered_workflows_pkey do update set name = excluded.name, title = excluded.title,
         description = excluded.description, input_schema = excluded.input_schema,
         wait_seconds = excluded.wait_seconds, result = excluded.result, revision = excluded.revision,
         updated_at = excluded.updated_at`,
      [
        organizationId,
        tool.workflowId,
        tool.name,
        tool.title,
        tool.description,
        JSON.stringify(tool.inputSchema),
        tool.waitSeconds,
        tool.result && JSON.stringify(tool.result),
        tool.revision,
      ],
    );
  }

  /** Deletes an offered workflow. Returns false when the workflow was not offered. */
  async delete(organizationId: string, workflowId: string): Promise<boolean> {
    const { affected } = await this.rows(organizationId).delete({ organizationId, workflowId });
    return affected === 1;
  }

  private rows(organizationId: string): Repository<OfferedWorkflow> {
    return this.tenants.repository(organizationId, OfferedWorkflow);
  }
}
