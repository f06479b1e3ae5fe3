import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { WorkflowTool } from './offered-workflow.entity.js';
import { Workflow } from './workflow.entity.js';

export type NewWorkflowTool = Omit<WorkflowTool, 'organizationId' | 'updatedAt'>;

/** Which workflows an organization offers as tools. */
@Injectable()
export class WorkflowToolsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Makes all other changes of what the organization offers wait until this transaction ends. */
  async lock(organizationId: string): Promise<void> {
    // NO KEY UPDATE waits for its like only: rows that refer to the organization can still be added meanwhile.
    await this.tenants
      .manager(organizationId)
      .query('select from organizations where id = $1 for no key update', [organizationId]);
  }

  /** By name. */
  async list(organizationId: string): Promise<WorkflowTool[]> {
    return await this.tenants
      .manager(organizationId)
      .find(WorkflowTool, { where: { organizationId }, order: { name: 'ASC' } });
  }

  /** Those whose workflow is active, by name. */
  async listActive(organizationId: string): Promise<WorkflowTool[]> {
    return await this.tenants
      .manager(organizationId)
      .createQueryBuilder(WorkflowTool, 't')
      .innerJoin(
        Workflow,
        'w',
        'w.organization_id = t.organization_id and w.id = t.workflow_id and w.active and w.deleted_at is null',
      )
      .where('t.organization_id = :organizationId', { organizationId })
      .orderBy('t.name')
      .getMany();
  }

  async find(organizationId: string, workflowId: string): Promise<WorkflowTool | null> {
    return await this.tenants
      .manager(organizationId)
      .findOneBy(WorkflowTool, { organizationId, workflowId });
  }

  async save(organizationId: string, tool: NewWorkflowTool): Promise<void> {
    await this.tenants.manager(organizationId).query(
      `insert into workflow_tools (organization_id, workflow_id, name, title, description, input_schema, wait_seconds,
         result, revision)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       on conflict on constraint workflow_tools_pkey do update set name = excluded.name, title = excluded.title,
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

  /** Whether there was one. */
  async delete(organizationId: string, workflowId: string): Promise<boolean> {
    const { affected } = await this.tenants
      .manager(organizationId)
      .delete(WorkflowTool, { organizationId, workflowId });
    return affected === 1;
  }
}
