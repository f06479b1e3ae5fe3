import { Injectable } from '@nestjs/common';
import { prepared } from '../database/driver/statement.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { CompiledContent } from './template-content.js';
import { TemplateVersion } from './template-version.entity.js';

const FIND_ID = prepared(
  'template_version_id',
  `select id from template_versions where organization_id = $1 and template_id = $2 and version = $3`,
);
const FIND_COMPILED = prepared(
  'template_compiled',
  `select compiled from template_versions where organization_id = $1 and template_id = $2 and version = $3`,
);

/** A version as lists show it. */
export type VersionSummary = Pick<
  TemplateVersion,
  'version' | 'warnings' | 'restoredFrom' | 'actorKind' | 'actorId' | 'createdAt'
>;

/** Stores published versions. Every method needs a transaction of the organization. */
@Injectable()
export class TemplateVersionsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  async insert(version: Omit<TemplateVersion, 'createdAt'>): Promise<void> {
    const { organizationId } = version;
    await this.tenants.session(organizationId).query(
      `insert into template_versions (organization_id, template_id, version, id, content, compiled, warnings,
         restored_from, actor_kind, actor_id)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        organizationId,
        version.templateId,
        version.version,
        version.id,
        JSON.stringify(version.content),
        JSON.stringify(version.compiled),
        JSON.stringify(version.warnings),
        version.restoredFrom,
        version.actorKind,
        version.actorId,
      ],
    );
  }

  /** Deletes the versions up to this number. */
  async deleteUpTo(organizationId: string, templateId: string, version: number): Promise<void> {
    await this.tenants
      .session(organizationId)
      .query(
        'delete from template_versions where organization_id = $1 and template_id = $2 and version <= $3',
        [organizationId, templateId, version],
      );
  }

  find(
    organizationId: string,
    templateId: string,
    version: number,
  ): Promise<TemplateVersion | null> {
    return this.tenants
      .repository(organizationId, TemplateVersion)
      .findOneBy({ organizationId, templateId, version });
  }

  /** Returns the id of a version. */
  async findId(
    organizationId: string,
    templateId: string,
    version: number,
  ): Promise<string | undefined> {
    const [found] = await this.tenants
      .session(organizationId)
      .query<{ id: string }>(FIND_ID, [organizationId, templateId, version]);
    return found?.id;
  }

  async findCompiled(
    organizationId: string,
    templateId: string,
    version: number,
  ): Promise<CompiledContent | undefined> {
    const [found] = await this.tenants
      .session(organizationId)
      .query<{ compiled: CompiledContent }>(FIND_COMPILED, [organizationId, templateId, version]);
    return found?.compiled;
  }

  /** Returns at most `limit` versions before a number, the newest first. */
  async list(
    organizationId: string,
    templateId: string,
    { before, limit }: { before: number | undefined; limit: number },
  ): Promise<VersionSummary[]> {
    return await this.tenants.session(organizationId).query<VersionSummary>(
      `select version, warnings, restored_from as "restoredFrom", actor_kind as "actorKind",
         actor_id as "actorId", created_at as "createdAt"
       from template_versions
       where organization_id = $1 and template_id = $2 and ($3::integer is null or version < $3)
       order by version desc limit $4`,
      [organizationId, templateId, before ?? null, limit],
    );
  }
}
