import { Injectable } from '@nestjs/common';
import { IsNull, LessThan, type Repository } from 'typeorm';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { PinnedVersion } from '../definitions/compatibility/compatibility.js';
import { awaitedEvents } from '../definitions/steps/awaiting-steps.js';
import { readStoredSteps } from '../definitions/stored-steps.js';
import type { ToolSchemas } from '../definitions/compatibility/tool-schemas.js';
import type { VersionContent } from './version-content.js';
import { WorkflowVersion } from './workflow-version.entity.js';

/** A version without its steps and schemas. */
type ListedVersion = Pick<
  WorkflowVersion,
  'version' | 'actorKind' | 'actorId' | 'restoredFrom' | 'createdAt'
>;

export interface VersionKey {
  readonly workflowId: string;
  readonly version: number;
}

/** A version with the name of its workflow, as the compatibility check reads it. */
export interface NamedVersion extends VersionKey, PinnedVersion {
  readonly workflowName: string;
}

export interface FittingVersion extends VersionKey {
  readonly schemas: ToolSchemas;
  readonly looseReferences: readonly string[];
}

@Injectable()
export class WorkflowVersionsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Inserts a version, and registers the events that its runs may wait for. */
  async insert(
    organizationId: string,
    row: Omit<WorkflowVersion, 'organizationId' | 'createdAt'>,
  ): Promise<void> {
    await this.rows(organizationId).insert({ organizationId, ...row });
    const events = awaitedEvents(row.steps);
    if (events.length === 0) return;
    await this.tenants.session(organizationId).query(
      `insert into event_interests (organization_id, event, workflow_id)
       select $1, event, $2 from unnest($3::text[]) as event on conflict do nothing`,
      [organizationId, row.workflowId, events],
    );
  }

  /** Adds the content that an older release did not store. */
  async addContent(
    organizationId: string,
    workflowId: string,
    version: number,
    content: VersionContent,
  ): Promise<void> {
    await this.rows(organizationId).update(
      { organizationId, workflowId, version, content: IsNull() },
      { content },
    );
  }

  /** Returns a version, or null when it does not exist. Throws `DefinitionTooLargeError`. */
  async find(
    organizationId: string,
    workflowId: string,
    version: number,
  ): Promise<WorkflowVersion | null> {
    const found = await this.rows(organizationId).findOneBy({
      organizationId,
      workflowId,
      version,
    });
    if (found) readStoredSteps(found.steps);
    return found;
  }

  /** Returns the version as {@link find} does. Throws when the version does not exist. */
  async get(organizationId: string, workflowId: string, version: number): Promise<WorkflowVersion> {
    const key = { organizationId, workflowId, version };
    const found = await this.rows(organizationId).findOneByOrFail(key);
    readStoredSteps(found.steps);
    return found;
  }

  /** Returns at most `limit` versions without their steps, the newest first. */
  async list(
    organizationId: string,
    workflowId: string,
    page: { before?: number; limit: number },
  ): Promise<ListedVersion[]> {
    return await this.rows(organizationId).find({
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

  /** Returns the steps, schemas and workflow names of these versions. */
  async findPinned(organizationId: string, keys: readonly VersionKey[]): Promise<NamedVersion[]> {
    return await this.tenants.session(organizationId).query<NamedVersion>(
      `select v.workflow_id as "workflowId", v.version, w.name as "workflowName", v.steps,
         coalesce(v.tool_schemas, v.fitting_schemas) as schemas, v.loose_references as "looseReferences"
       from workflow_versions v
       join workflows w on w.organization_id = v.organization_id and w.id = v.workflow_id
       join unnest($2::text[], $3::integer[]) as k (workflow_id, version)
         on k.workflow_id = v.workflow_id and k.version = v.version
       where v.organization_id = $1`,
      [organizationId, keys.map((key) => key.workflowId), keys.map((key) => key.version)],
    );
  }

  /** Stores the schemas that the steps of these versions have been checked with. */
  async markFitting(organizationId: string, found: readonly FittingVersion[]): Promise<void> {
    await this.tenants.session(organizationId).query(
      `update workflow_versions v
       set fitting_schemas = k.schemas, loose_references = coalesce(v.loose_references, k.loose)
       from unnest($2::text[], $3::integer[], $4::jsonb[], $5::json[]) as k (workflow_id, version, schemas, loose)
       where v.organization_id = $1 and v.workflow_id = k.workflow_id and v.version = k.version`,
      [
        organizationId,
        found.map((version) => version.workflowId),
        found.map((version) => version.version),
        found.map((version) => JSON.stringify(version.schemas)),
        found.map((version) => JSON.stringify(version.looseReferences)),
      ],
    );
  }

  private rows(organizationId: string): Repository<WorkflowVersion> {
    return this.tenants.repository(organizationId, WorkflowVersion);
  }
}
