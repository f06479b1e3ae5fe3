import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { filterCondition } from '../contacts/contact-condition.js';
import { COLUMNS } from '../contacts/contact-statements.js';
import { Contact } from '../contacts/contact.entity.js';
import type { FilterNode } from '../contacts/filter-fields.js';

/**
 * The contacts that are compared: those with these ids, or a range in the order of their ids. The range begins after
 * `after` and ends with `upTo`, or with the last contact.
 */
export type ContactPart =
  { readonly ids: readonly string[] } | { readonly after: string; readonly upTo: string | null };

// These statements are not prepared. A prepared statement could keep a plan that was made while the table was small.
// After the table has grown, this plan would read the whole table for each part.
const END_OF_PART = `select c.id from contacts c where c.organization_id = $1 and c.id > $2
   order by c.id offset $3 limit 1`;
const FIND_ALL = `select ${COLUMNS} from contacts contact where contact.organization_id = $1 and contact.id = any($2)`;

/** Compares many contacts with conditions. Every method needs a transaction of the organization. */
@Injectable()
export class ContactMatchesRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Returns the ids of the contacts of a part that match every condition. */
  async list(
    organizationId: string,
    filters: readonly FilterNode[],
    part: ContactPart,
  ): Promise<string[]> {
    const query = this.tenants
      .repository(organizationId, Contact)
      .createQueryBuilder('contact')
      .select('contact.id', 'id')
      .where('contact.organizationId = :organizationId', { organizationId });
    const { sql, parameters } = filterCondition(filters);
    query.andWhere(`(${sql})`, parameters);
    if ('ids' in part) query.andWhere('contact.id = any(:partIds)', { partIds: part.ids });
    else {
      query.andWhere('contact.id > :partAfter', { partAfter: part.after });
      if (part.upTo !== null) query.andWhere('contact.id <= :partUpTo', { partUpTo: part.upTo });
    }
    const [text, values] = query.getQueryAndParameters();
    const rows = await this.tenants
      .session(organizationId)
      .query<{ id: string }>(text, values as unknown[]);
    return rows.map(({ id }) => id);
  }

  /** Returns the id of the last contact of a part of `size` contacts, or null when fewer contacts are left. */
  async endOfPart(organizationId: string, after: string, size: number): Promise<string | null> {
    const [row] = await this.tenants
      .session(organizationId)
      .query<{ id: string }>(END_OF_PART, [organizationId, after, size - 1]);
    return row?.id ?? null;
  }

  /** Returns the contacts with these ids, in any order. Ids of contacts that do not exist are ignored. */
  async findAll(organizationId: string, ids: readonly string[]): Promise<Contact[]> {
    return await this.tenants
      .session(organizationId)
      .query<Contact>(FIND_ALL, [organizationId, ids]);
  }
}
