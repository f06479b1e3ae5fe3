import { Injectable } from '@nestjs/common';
import { violatedConstraint } from '../database/database-error.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError, assertFound } from '../errors/app-error.js';
import { pageOf, readTimeCursor, timeCursor } from '../paging/paging.js';
import { newId } from '../text/ids.js';
import type { Snippet } from './snippet.entity.js';
import { SnippetsRepository } from './snippets.repository.js';

const MOST_SNIPPETS = 100;
const NAME = /^[a-z][a-z0-9_-]*$/;

/** Manages the pieces of text that templates have in common. Every method needs a transaction of the organization. */
@Injectable()
export class SnippetsService {
  constructor(
    private readonly snippets: SnippetsRepository,
    private readonly tenants: TenantDatabase,
  ) {}

  /** Returns a snippet. Throws `not_found` when the organization has no such snippet. */
  async get(organizationId: string, id: string): Promise<Snippet> {
    return assertFound(await this.snippets.find(organizationId, id), 'snippet');
  }

  /**
   * Creates a snippet. Throws `invalid_arguments` for a wrong name, and `conflict` for a taken name and for too many
   * snippets.
   */
  async create(
    organizationId: string,
    { name, content }: { name: string; content: string },
  ): Promise<Snippet> {
    assertName(name);
    await this.tenants.lockOrganization(organizationId);
    if ((await this.snippets.count(organizationId)) >= MOST_SNIPPETS) {
      const message = `At most ${MOST_SNIPPETS} snippets are allowed. Delete one that nobody needs.`;
      throw new AppError('conflict', message);
    }
    const id = newId('snp');
    const insert = () => this.snippets.insert(organizationId, { id, name, content });
    await this.saving(organizationId, insert);
    return await this.get(organizationId, id);
  }

  /** Changes a snippet. Published versions stay as they are. */
  async update(
    organizationId: string,
    id: string,
    changes: { name?: string; content?: string },
  ): Promise<Snippet> {
    // Without the lock, this call would overwrite the field that another call changes at the same time.
    const before = assertFound(await this.snippets.findForUpdate(organizationId, id), 'snippet');
    const next = { name: changes.name ?? before.name, content: changes.content ?? before.content };
    assertName(next.name);
    await this.saving(organizationId, () => this.snippets.update(organizationId, id, next));
    return await this.get(organizationId, id);
  }

  /** Deletes a snippet. Published versions stay as they are. */
  async delete(organizationId: string, id: string): Promise<void> {
    await this.get(organizationId, id);
    await this.snippets.delete(organizationId, id);
  }

  async list(
    organizationId: string,
    page: { limit: number; cursor: string | undefined },
  ): Promise<{ snippets: Snippet[]; nextCursor: string | null }> {
    const before = readTimeCursor(page.cursor);
    const rows = await this.snippets.list(organizationId, before, page.limit + 1);
    const sizeOf = ({ content }: Snippet): number => content.length;
    const { page: snippets, nextCursor } = pageOf(rows, page.limit, timeCursor, sizeOf);
    return { snippets, nextCursor };
  }

  private async saving(organizationId: string, save: () => Promise<void>): Promise<void> {
    try {
      await this.tenants.savepoint(organizationId, save);
    } catch (error) {
      const taken = 'template_snippets_organization_id_name_key';
      if (violatedConstraint(error) !== taken) throw error;
      throw new AppError('conflict', 'Another snippet has this name. Choose another name.');
    }
  }
}

function assertName(name: string): void {
  if (NAME.test(name)) return;
  throw AppError.invalidField('name', 'must be a name such as footer: a-z, 0-9, _ and -');
}
