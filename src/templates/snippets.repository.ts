import { Injectable } from '@nestjs/common';
import { ChangeFeed, resourceChange } from '../changes/change-feed.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { TimePosition } from '../paging/paging.js';
import { Snippet } from './snippet.entity.js';

/**
 * Stores snippets, and publishes each change after its commit. Every method needs a transaction of the organization.
 */
@Injectable()
export class SnippetsRepository {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly changes: ChangeFeed,
  ) {}

  async insert(
    organizationId: string,
    { id, name, content }: Pick<Snippet, 'id' | 'name' | 'content'>,
  ): Promise<void> {
    await this.tenants
      .session(organizationId)
      .query(
        'insert into template_snippets (organization_id, id, name, content) values ($1, $2, $3, $4)',
        [organizationId, id, name, content],
      );
    this.publish(organizationId, id);
  }

  async update(
    organizationId: string,
    id: string,
    { name, content }: Pick<Snippet, 'name' | 'content'>,
  ): Promise<void> {
    await this.tenants.session(organizationId).query(
      `update template_snippets set name = $3, content = $4, updated_at = now()
       where organization_id = $1 and id = $2`,
      [organizationId, id, name, content],
    );
    this.publish(organizationId, id);
  }

  async delete(organizationId: string, id: string): Promise<void> {
    await this.rows(organizationId).delete({ organizationId, id });
    this.publish(organizationId, id);
  }

  find(organizationId: string, id: string): Promise<Snippet | null> {
    return this.rows(organizationId).findOneBy({ organizationId, id });
  }

  /** Finds the snippet and locks its row until the transaction ends. */
  findForUpdate(organizationId: string, id: string): Promise<Snippet | null> {
    return this.rows(organizationId).findOne({
      where: { organizationId, id },
      lock: { mode: 'pessimistic_write' },
    });
  }

  count(organizationId: string): Promise<number> {
    return this.rows(organizationId).countBy({ organizationId });
  }

  /** Returns the contents of all snippets by their names. There are at most 100 of 64 KiB. */
  async contents(organizationId: string): Promise<Map<string, string>> {
    const rows = await this.tenants
      .session(organizationId)
      .query<{ name: string; content: string }>(
        'select name, content from template_snippets where organization_id = $1',
        [organizationId],
      );
    return new Map(rows.map(({ name, content }) => [name, content]));
  }

  /** Returns at most `limit` snippets that are older than `before`, newest first. */
  async list(
    organizationId: string,
    before: TimePosition | undefined,
    limit: number,
  ): Promise<Snippet[]> {
    const query = this.rows(organizationId)
      .createQueryBuilder('snippet')
      .where('snippet.organizationId = :organizationId', { organizationId })
      .orderBy('snippet.createdAt', 'DESC')
      .addOrderBy('snippet.id', 'DESC')
      .limit(limit);
    if (before) query.andWhere('(snippet.createdAt, snippet.id) < (:at, :id)', before);
    return await query.getMany();
  }

  private rows(organizationId: string) {
    return this.tenants.repository(organizationId, Snippet);
  }

  private publish(organizationId: string, id: string): void {
    this.changes.publish(organizationId, resourceChange('snippets', id));
  }
}
