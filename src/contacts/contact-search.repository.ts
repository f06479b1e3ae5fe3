import { Injectable } from '@nestjs/common';
import type { Repository, SelectQueryBuilder } from 'typeorm';
import type { BoundStatement } from '../database/driver/statement.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { escapeLike, filterCondition } from './contact-condition.js';
import { foldText } from './contact-fields.js';
import type { ContactOrder, Position } from './contact-order.js';
import {
  COLUMNS,
  FIRST_PAGES,
  MOST_BY_INDEX,
  indexedPageStatement,
  keyValues,
  searchTexts,
} from './contact-statements.js';
import { Contact } from './contact.entity.js';
import type { FilterNode } from './filter-fields.js';
import { type IndexKeys, indexKeys, requiredSegment } from './filter-tree.js';

/** A row of the result when a search uses a database index. The id is null when no contact matches. */
type IndexedRow = Contact & { exceeds_index_limit: boolean };

/** Searches and counts contacts. Every method needs a transaction of the organization. */
@Injectable()
export class ContactSearchRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Returns at most `limit` contacts after `position` that match the text and every filter, in order. */
  async search(
    organizationId: string,
    search: { text: string | undefined; filters: readonly FilterNode[] },
    order: ContactOrder,
    position: Position | undefined,
    limit: number,
  ): Promise<Contact[]> {
    const query = (): SelectQueryBuilder<Contact> =>
      this.pageQuery(organizationId, search.filters, order, position, limit);
    if (!search.text) {
      const keys = indexKeys(search.filters);
      const found = keys && (await this.readKeyedPage(organizationId, query(), keys));
      return (
        found ??
        (await this.readSegmentPage(organizationId, query(), search.filters)) ??
        (await this.readPage(organizationId, query()))
      );
    }
    const texts = searchTexts(search.text);
    const isPlain = search.filters.length === 0 && !position;
    const statement = isPlain
      ? { ...FIRST_PAGES.get(order.sort)!, values: [organizationId, limit] }
      : indexedPageStatement(query(), 'find_contact_ids');
    const indexed = await this.readIndexedPage(organizationId, statement, [
      ...texts,
      MOST_BY_INDEX,
    ]);
    if (indexed) return indexed;
    // Row-level security hides statistics from the planner. Without the CASE, the planner would expect few matches for
    // any pattern, and would read and sort all contacts for one page. With the CASE, the planner expects that half of
    // the contacts match.
    const [pattern, other] = texts.map((text) => (text === null ? null : `%${escapeLike(text)}%`));
    const isMatch = `case when contact.searchText like :pattern or contact.searchText like :other then true else false end`;
    return await this.readPage(organizationId, query().andWhere(isMatch, { pattern, other }));
  }

  /** Returns at most `limit` contacts whose id, name or identifier starts with `text`, newest first. Ignores case. */
  async listStartingWith(organizationId: string, text: string, limit: number): Promise<Contact[]> {
    const folded = foldText(text);
    return await this.rows(organizationId)
      .createQueryBuilder('contact')
      .where('contact.organizationId = :organizationId', { organizationId })
      .andWhere(
        `(starts_with(contact.searchText, :folded) or strpos(contact.searchText, :asWord) > 0
          or strpos(contact.searchText, :asLine) > 0 or starts_with(lower(contact.id), :folded))`,
        { folded, asWord: ` ${folded}`, asLine: `\n${folded}` },
      )
      .orderBy('contact.createdAt', 'DESC')
      .addOrderBy('contact.id', 'DESC')
      .limit(limit)
      .getMany();
  }

  /** Counts the contacts that match the text and every filter, up to `most`. */
  async count(
    organizationId: string,
    { text, filters }: { text: string | undefined; filters: readonly FilterNode[] },
    most: number,
  ): Promise<number> {
    const session = this.tenants.session(organizationId);
    const query = this.rows(organizationId)
      .createQueryBuilder('contact')
      .select('1', 'one')
      .where('contact.organizationId = :organizationId', { organizationId })
      .limit(most);
    if (filters.length > 0) {
      const { sql, parameters } = filterCondition(filters);
      query.andWhere(sql, parameters);
    }
    const keys = indexKeys(filters);
    if (text) {
      const [one, other] = searchTexts(text);
      const [row] = await session.query<{ ids: string[] | null }>(
        'select public.find_contact_ids($1, $2, $3) as ids',
        [one, other, most],
      );
      if (row!.ids) query.andWhere('contact.id = any(:ids)', { ids: row!.ids });
      else {
        const patterns = [one, other].map((each) =>
          each === null ? null : `%${escapeLike(each)}%`,
        );
        query.andWhere('(contact.searchText like :one or contact.searchText like :other)', {
          one: patterns[0],
          other: patterns[1],
        });
      }
    } else if (keys) {
      const [row] = await session.query<{ ids: string[] | null }>(
        `select public.find_contacts_by_keys($1, $2, $3, $4, $5) as ids`,
        keyValues(keys, most),
      );
      if (row!.ids) query.andWhere('contact.id = any(:ids)', { ids: row!.ids });
    }
    const [counted, values] = query.getQueryAndParameters();
    const [row] = await session.query<{ count: number }>(
      `select cast(count(*) as integer) as count from (${counted}) matches`,
      values as unknown[],
    );
    return row!.count;
  }

  private pageQuery(
    organizationId: string,
    filters: readonly FilterNode[],
    order: ContactOrder,
    position: Position | undefined,
    limit: number,
  ): SelectQueryBuilder<Contact> {
    const query = this.rows(organizationId)
      .createQueryBuilder('contact')
      .select(COLUMNS)
      .where('contact.organizationId = :organizationId', { organizationId })
      .orderBy(`contact.${order.column}`, order.direction, order.nulls)
      .addOrderBy('contact.id', order.direction)
      .limit(limit);
    if (filters.length > 0) {
      const { sql, parameters } = filterCondition(filters);
      query.andWhere(sql, parameters);
    }
    if (position) {
      const { sql, parameters } = order.after(position);
      query.andWhere(sql, parameters);
    }
    return query;
  }

  /**
   * Reads a page through the index of tags and properties. Returns undefined when more than `MOST_BY_INDEX` contacts
   * match.
   */
  private async readKeyedPage(
    organizationId: string,
    query: SelectQueryBuilder<Contact>,
    keys: IndexKeys,
  ): Promise<Contact[] | undefined> {
    const statement = indexedPageStatement(query, 'find_contacts_by_keys');
    return await this.readIndexedPage(organizationId, statement, keyValues(keys, MOST_BY_INDEX));
  }

  /**
   * Reads a page through the members of a static segment. Returns undefined when the conditions require no static
   * segment, or only a large static segment.
   */
  private async readSegmentPage(
    organizationId: string,
    query: SelectQueryBuilder<Contact>,
    filters: readonly FilterNode[],
  ): Promise<Contact[] | undefined> {
    const segment = requiredSegment(filters);
    if (segment === undefined) return undefined;
    const statement = indexedPageStatement(query, 'find_segment_contacts');
    return await this.readIndexedPage(organizationId, statement, [segment, MOST_BY_INDEX]);
  }

  /** Reads a page through an index. Returns undefined when too many contacts match. */
  private async readIndexedPage(
    organizationId: string,
    { values, ...statement }: BoundStatement,
    indexValues: readonly unknown[],
  ): Promise<Contact[] | undefined> {
    const rows = await this.tenants
      .session(organizationId)
      .query<IndexedRow>(statement, [...values, ...indexValues]);
    if (rows[0]!.exceeds_index_limit) return undefined;
    return rows.filter(({ id }) => id !== null);
  }

  private async readPage(
    organizationId: string,
    query: SelectQueryBuilder<Contact>,
  ): Promise<Contact[]> {
    const [text, values] = query.getQueryAndParameters();
    return await this.tenants.session(organizationId).query<Contact>(text, values as unknown[]);
  }

  private rows(organizationId: string): Repository<Contact> {
    return this.tenants.repository(organizationId, Contact);
  }
}
