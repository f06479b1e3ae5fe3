import { Injectable } from '@nestjs/common';
import { ChangeFeed, resourceChange } from '../changes/change-feed.js';
import { prepared } from '../database/driver/statement.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { TimePosition } from '../paging/paging.js';
import type { TemplateContent, TemplateVariable } from './template-content.js';
import { Template } from './template.entity.js';

/** Finds a published version. This statement is sent for each message that is made from a template. */
const FIND_PUBLISHED = prepared(
  'template_published',
  `select t.id, t.name, t.version, t.version_id as "versionId", s.default_locale as "defaultLocale"
   from templates t left join contact_settings s on s.organization_id = t.organization_id
   where t.organization_id = $1 and (t.id = $2 or t.name = $2) order by t.id = $2 desc limit 1`,
);

/** The published version of a template, with the language of contacts without a locale. */
export interface FoundTemplate {
  id: string;
  name: string;
  version: number | null;
  versionId: string | null;
  defaultLocale: string | null;
}

/** A template as lists show it. */
export type TemplateSummary = Omit<Template, 'draft'>;

/** Stores templates, and publishes each change after its commit. Every method needs a transaction of the organization. */
@Injectable()
export class TemplatesRepository {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly changes: ChangeFeed,
  ) {}

  async insert(
    organizationId: string,
    { id, name, description, draft }: Pick<Template, 'id' | 'name' | 'description' | 'draft'>,
  ): Promise<void> {
    await this.tenants
      .session(organizationId)
      .query(
        `insert into templates (organization_id, id, name, description, draft) values ($1, $2, $3, $4, $5)`,
        [organizationId, id, name, description, JSON.stringify(draft)],
      );
    this.publish(organizationId, id);
  }

  async rename(
    organizationId: string,
    id: string,
    { name, description }: Pick<Template, 'name' | 'description'>,
  ): Promise<void> {
    await this.tenants.session(organizationId).query(
      `update templates set name = $3, description = $4, updated_at = now()
       where organization_id = $1 and id = $2`,
      [organizationId, id, name, description],
    );
    this.publish(organizationId, id);
  }

  /** Replaces the draft, and raises its number of changes. */
  async setDraft(
    organizationId: string,
    id: string,
    draft: TemplateContent,
    restoredFrom: number | null,
  ): Promise<void> {
    await this.tenants.session(organizationId).query(
      `update templates set draft = $3, draft_version = draft_version + 1, restored_from = $4, updated_at = now()
       where organization_id = $1 and id = $2`,
      [organizationId, id, JSON.stringify(draft), restoredFrom],
    );
    this.publish(organizationId, id);
  }

  async setPublished(
    organizationId: string,
    id: string,
    { version, versionId }: { version: number; versionId: string },
  ): Promise<void> {
    await this.tenants.session(organizationId).query(
      `update templates set version = $3, version_id = $4, restored_from = null, updated_at = now()
       where organization_id = $1 and id = $2`,
      [organizationId, id, version, versionId],
    );
    this.publish(organizationId, id);
  }

  async delete(organizationId: string, id: string): Promise<void> {
    await this.rows(organizationId).delete({ organizationId, id });
    this.publish(organizationId, id);
  }

  find(organizationId: string, id: string): Promise<Template | null> {
    return this.rows(organizationId).findOneBy({ organizationId, id });
  }

  /** Finds the template and locks its row until the transaction ends. */
  findForUpdate(organizationId: string, id: string): Promise<Template | null> {
    return this.rows(organizationId).findOne({
      where: { organizationId, id },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Finds a template by its id, or else by its name. */
  async findPublished(
    organizationId: string,
    idOrName: string,
  ): Promise<FoundTemplate | undefined> {
    const session = this.tenants.session(organizationId);
    const values = [organizationId, idOrName];
    const [found] = await session.query<FoundTemplate>(FIND_PUBLISHED, values);
    return found;
  }

  /**
   * Finds templates by ids or names, with the variables of their published versions. The variables are null before the
   * first version.
   */
  async findDeclared(
    organizationId: string,
    idsOrNames: readonly string[],
  ): Promise<{ id: string; name: string; variables: TemplateVariable[] | null }[]> {
    return await this.tenants.session(organizationId).query(
      `select t.id, t.name, v.compiled -> 'variables' as variables
       from templates t left join template_versions v
         on v.organization_id = t.organization_id and v.template_id = t.id and v.version = t.version
       where t.organization_id = $1 and (t.id = any($2) or t.name = any($2))`,
      [organizationId, idsOrNames],
    );
  }

  count(organizationId: string): Promise<number> {
    return this.rows(organizationId).countBy({ organizationId });
  }

  /** Returns at most `limit` templates that are older than `before`, newest first, without their drafts. */
  async list(
    organizationId: string,
    before: TimePosition | undefined,
    limit: number,
  ): Promise<(TemplateSummary & { locales: string[] })[]> {
    return await this.tenants.session(organizationId).query(
      `select organization_id as "organizationId", id, name, description, draft_version as "draftVersion",
         restored_from as "restoredFrom", version, version_id as "versionId", created_at as "createdAt",
         updated_at as "updatedAt", array(select json_object_keys(draft -> 'variants')) as locales
       from templates where organization_id = $1 and ($2::timestamptz is null or (created_at, id) < ($2, $3))
       order by created_at desc, id desc limit $4`,
      [organizationId, before?.at ?? null, before?.id ?? null, limit],
    );
  }

  private rows(organizationId: string) {
    return this.tenants.repository(organizationId, Template);
  }

  private publish(organizationId: string, id: string): void {
    this.changes.publish(organizationId, resourceChange('templates', id));
  }
}
