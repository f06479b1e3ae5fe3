import { Injectable } from '@nestjs/common';
import { violatedConstraint } from '../database/database-error.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError, assertFound } from '../errors/app-error.js';
import { pageOf, readTimeCursor, timeCursor } from '../paging/paging.js';
import { canonicalJson } from '../text/canonical-json.js';
import { newId } from '../text/ids.js';
import { parseContent } from './parse-content.js';
import type { Template } from './template.entity.js';
import { type TemplateSummary, TemplatesRepository } from './templates.repository.js';

const MOST_TEMPLATES = 500;
const NAME = /^[a-z][a-z0-9_-]*$/;

/** The values that a caller changes. An absent member stays unchanged. */
export interface TemplateChanges {
  name?: string;
  description?: string;
  variables?: object[];
  variants?: object;
}

/** Manages templates and their drafts. Every method needs a transaction of the organization. */
@Injectable()
export class TemplatesService {
  constructor(
    private readonly templates: TemplatesRepository,
    private readonly tenants: TenantDatabase,
  ) {}

  /** Returns a template. Throws `not_found` when the organization has no such template. */
  async get(organizationId: string, id: string): Promise<Template> {
    return assertFound(await this.templates.find(organizationId, id), 'template');
  }

  /**
   * Locks the template. Throws `not_found`, and `conflict` with the current number when the draft has changed since the
   * caller read it.
   */
  async getForUpdate(
    organizationId: string,
    id: string,
    expectedVersion: number | undefined,
  ): Promise<Template> {
    const found = assertFound(await this.templates.findForUpdate(organizationId, id), 'template');
    if (expectedVersion === undefined || expectedVersion === found.draftVersion) return found;
    throw new AppError(
      'conflict',
      `The draft has changed: it has the version ${found.draftVersion}, not ${expectedVersion}. Read it again.`,
      { members: { draft_version: found.draftVersion } },
    );
  }

  /**
   * Creates a template. Throws `invalid_arguments` for wrong content, and `conflict` for a taken name and for too many
   * templates.
   */
  async create(
    organizationId: string,
    { name, description, variables = [], variants = {} }: TemplateChanges & { name: string },
  ): Promise<Template> {
    assertName(name);
    const draft = parseContent({ variables, variants });
    await this.tenants.lockOrganization(organizationId);
    if ((await this.templates.count(organizationId)) >= MOST_TEMPLATES) {
      const message = `At most ${MOST_TEMPLATES} templates are allowed. Delete one that nobody needs.`;
      throw new AppError('conflict', message);
    }
    const id = newId('tpl');
    const row = { id, name, description: description || null, draft };
    await this.saving(organizationId, () => this.templates.insert(organizationId, row));
    return await this.get(organizationId, id);
  }

  /** Changes the name, the description and the draft. The published version stays as it is. */
  async update(
    organizationId: string,
    id: string,
    changes: TemplateChanges,
    expectedVersion: number | undefined,
  ): Promise<Template> {
    const before = await this.getForUpdate(organizationId, id, expectedVersion);
    const { name, description, variables, variants } = changes;
    if (variables !== undefined || variants !== undefined) {
      const draft = parseContent({
        variables: variables ?? [...before.draft.variables],
        variants: variants ?? before.draft.variants,
      });
      // An equal draft keeps its version, so that a repeated call changes nothing.
      if (canonicalJson(draft) !== canonicalJson(before.draft)) {
        await this.templates.setDraft(organizationId, id, draft, null);
      }
    }
    if (name !== undefined || description !== undefined) {
      const next = {
        name: name ?? before.name,
        description: description === undefined ? before.description : description || null,
      };
      assertName(next.name);
      await this.saving(organizationId, () => this.templates.rename(organizationId, id, next));
    }
    return await this.get(organizationId, id);
  }

  /** Deletes a template with its versions. Messages that were made from it stay. */
  async delete(organizationId: string, id: string): Promise<void> {
    await this.get(organizationId, id);
    await this.templates.delete(organizationId, id);
  }

  async list(
    organizationId: string,
    page: { limit: number; cursor: string | undefined },
  ): Promise<{
    templates: (TemplateSummary & { locales: string[] })[];
    nextCursor: string | null;
  }> {
    const before = readTimeCursor(page.cursor);
    const rows = await this.templates.list(organizationId, before, page.limit + 1);
    const { page: templates, nextCursor } = pageOf(rows, page.limit, timeCursor);
    return { templates, nextCursor };
  }

  private async saving(organizationId: string, save: () => Promise<void>): Promise<void> {
    try {
      await this.tenants.savepoint(organizationId, save);
    } catch (error) {
      if (violatedConstraint(error) !== 'templates_organization_id_name_key') throw error;
      throw new AppError('conflict', 'Another template has this name. Choose another name.');
    }
  }
}

function assertName(name: string): void {
  if (NAME.test(name)) return;
  throw AppError.invalidField('name', 'must be a name such as order_shipped: a-z, 0-9, _ and -');
}
