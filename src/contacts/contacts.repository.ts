import { Injectable } from '@nestjs/common';
import type { Repository, SelectQueryBuilder } from 'typeorm';
import { violatedConstraint } from '../database/database-error.js';
import {
  type BoundStatement,
  type PreparedStatement,
  prepared,
} from '../database/driver/statement.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { escapeLike, filterCondition } from './contact-condition.js';
import { type ContactFields, foldText, searchText } from './contact-fields.js';
import type { ContactFilter } from './contact-filter.js';
import { CONTACT_SORTS, ContactOrder, type Position } from './contact-order.js';
import { Contact } from './contact.entity.js';

/** Maps identifiers from argument names to columns. Each identifier is unique in its organization. */
export const IDENTIFIERS = { external_id: 'externalId', email: 'email', phone: 'phone' } as const;
export type Identifier = keyof typeof IDENTIFIERS;

/** Limits the use of the text index. When more contacts match, reading them in sort order is faster. */
const MOST_BY_INDEX = 1000;

/**
 * Names the columns as the properties of {@link Contact}, so that a row is a contact. TypeORM takes longer, because it
 * examines the metadata of each column again for each row.
 */
const COLUMNS = `contact.organization_id as "organizationId", contact.id, contact.external_id as "externalId",
  contact.email, contact.phone, contact.first_name as "firstName", contact.last_name as "lastName", contact.locale,
  contact.timezone, contact.tags, contact.properties, contact.consent, contact.created_at as "createdAt",
  contact.updated_at as "updatedAt"`;
const SELECT = `select ${COLUMNS} from contacts contact where contact.organization_id = $1`;
const FIND = prepared('contact', `${SELECT} and contact.id = $2`);
const FIND_BY = {
  external_id: prepared('contact_by_external_id', `${SELECT} and contact.external_id = $2`),
  email: prepared('contact_by_email', selectByAddress('email')),
  phone: prepared('contact_by_phone', selectByAddress('phone')),
} satisfies Record<Identifier, unknown>;
/** Computes the search text of a contact from its own fields and its aliases. */
const SEARCH_TEXT = `:ownText || coalesce((select string_agg(:lineBreak || a.value, '' order by a.kind, a.value)
  from contact_aliases a where a.organization_id = :organizationId and a.contact_id = :id), '')`;
/** Maps sort orders to prepared statements that search by text alone, which is the most frequent search. */
const FIRST_PAGES = new Map(
  CONTACT_SORTS.map((sort) => {
    const { direction, nulls = '' } = new ContactOrder(sort);
    const column = sort.replace('-', '');
    const page = `${SELECT} and contact.id = any(few.ids)
      order by contact.${column} ${direction} ${nulls}, contact.id ${direction} limit $2`;
    return [sort, prepared(`contacts_${sort}`, restrictToIndexed(page, 2))];
  }),
);

/** Describes a row of a search by the text index. The id is null when no contact matches. */
type IndexedRow = Contact & { exceeds_index_limit: boolean };

@Injectable()
export class ContactsRepository {
  /** Holds the contact that the last statement of a transaction found (docs/adr/0016-recent-contact.md). */
  private readonly recent = new WeakMap<object, { version: number; contact: Contact }>();

  constructor(private readonly tenants: TenantDatabase) {}

  async find(organizationId: string, id: string): Promise<Contact | null> {
    const { transaction } = this.tenants.session(organizationId);
    const recent = this.recent.get(transaction);
    return recent?.version === transaction.version && recent.contact.id === id
      ? structuredClone(recent.contact)
      : await this.findOne(FIND, organizationId, id);
  }

  /** Finds the contact and locks its row until the transaction ends. */
  findForUpdate(organizationId: string, id: string): Promise<Contact | null> {
    return this.rows(organizationId).findOne({
      where: { organizationId, id },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Finds the contact that has the e-mail address or phone number as its own or as an alias, or has the external id. */
  async findByIdentifier(
    organizationId: string,
    identifier: Identifier,
    value: string,
  ): Promise<Contact | null> {
    return await this.findOne(FIND_BY[identifier], organizationId, value);
  }

  /** Inserts the contact. Returns undefined, without aborting the transaction, when an identifier is taken. */
  async insert(
    organizationId: string,
    id: string,
    fields: ContactFields,
  ): Promise<Contact | undefined> {
    const inserted = await this.rows(organizationId)
      .createQueryBuilder()
      .insert()
      .values({ ...fields, organizationId, id, searchText: searchText(fields) })
      .orIgnore()
      .returning(['createdAt', 'updatedAt'])
      .execute();
    const [row] = inserted.raw as { created_at: Date; updated_at: Date }[];
    if (!row) return undefined;
    const { created_at: createdAt, updated_at: updatedAt } = row;
    return Object.assign(new Contact(), { organizationId, id, ...fields, createdAt, updatedAt });
  }

  /** Writes the fields. Returns the new `updatedAt` or, in a usable transaction, the identifier of another contact. */
  async update(
    organizationId: string,
    id: string,
    fields: ContactFields,
  ): Promise<Date | Identifier> {
    try {
      // Without this savepoint, a taken identifier would abort the whole transaction, which may be that of a step.
      return await this.tenants.savepoint(organizationId, async () => {
        const updated = await this.rows(organizationId)
          .createQueryBuilder()
          .update()
          .set({ ...fields, searchText: () => SEARCH_TEXT, updatedAt: () => 'now()' })
          .where({ organizationId, id })
          .setParameters({ organizationId, id, ownText: searchText(fields), lineBreak: '\n' })
          .returning(['updatedAt'])
          .execute();
        return (updated.raw as { updated_at: Date }[])[0]!.updated_at;
      });
    } catch (error) {
      const constraint = violatedConstraint(error);
      for (const identifier of Object.keys(IDENTIFIERS) as Identifier[]) {
        if (constraint === `contacts_organization_id_${identifier}_key`) return identifier;
      }
      throw error;
    }
  }

  /** Returns false when there is no such contact. */
  async delete(organizationId: string, id: string): Promise<boolean> {
    const deleted = await this.rows(organizationId).delete({ organizationId, id });
    return deleted.affected === 1;
  }

  /** Returns at most `limit` contacts after `position` that match the text and every filter, in order. */
  async search(
    organizationId: string,
    search: { text: string | undefined; filters: readonly ContactFilter[] },
    order: ContactOrder,
    position: Position | undefined,
    limit: number,
  ): Promise<Contact[]> {
    const query = (): SelectQueryBuilder<Contact> =>
      this.pageQuery(organizationId, search.filters, order, position, limit);
    if (!search.text) return await this.readPage(organizationId, query());
    const texts = searchTexts(search.text);
    const isPlain = search.filters.length === 0 && !position;
    const statement = isPlain
      ? { ...FIRST_PAGES.get(order.sort)!, values: [organizationId, limit] }
      : indexedPageStatement(query());
    const indexed = await this.readIndexedPage(organizationId, statement, texts);
    if (indexed) return indexed;
    // Row-level security hides statistics from the planner. It would expect few matches for any pattern, then read and
    // sort all contacts for one page. For a CASE it expects that half of the contacts match.
    const [pattern, other] = texts.map((text) => (text === null ? null : `%${escapeLike(text)}%`));
    const isMatch = `case when contact.searchText like :pattern or contact.searchText like :other then true else false end`;
    return await this.readPage(organizationId, query().andWhere(isMatch, { pattern, other }));
  }

  /** Returns at most `limit` contacts, newest first, whose id, a name or an identifier starts with `text` in any case. */
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

  private async findOne(
    statement: PreparedStatement,
    organizationId: string,
    value: string,
  ): Promise<Contact | null> {
    const session = this.tenants.session(organizationId);
    const version = session.transaction.version + 1;
    const [contact] = await session.query<Contact>(statement, [organizationId, value]);
    if (!contact) return null;
    // Another statement, sent at the same moment, may have changed the contact.
    if (session.transaction.version === version) {
      this.recent.set(session.transaction, { version, contact: structuredClone(contact) });
    }
    return contact;
  }

  private pageQuery(
    organizationId: string,
    filters: readonly ContactFilter[],
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
    for (const [index, filter] of filters.entries()) {
      const { sql, parameters } = filterCondition(filter, index);
      query.andWhere(sql, parameters);
    }
    if (position) {
      const { sql, parameters } = order.after(position);
      query.andWhere(sql, parameters);
    }
    return query;
  }

  /** Reads a page through the text index. Returns undefined when more than `MOST_BY_INDEX` contacts match the text. */
  private async readIndexedPage(
    organizationId: string,
    { values, ...statement }: BoundStatement,
    texts: readonly [string, string | null],
  ): Promise<Contact[] | undefined> {
    const rows = await this.tenants
      .session(organizationId)
      .query<IndexedRow>(statement, [...values, ...texts, MOST_BY_INDEX]);
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

/** The second look-up runs only when no contact has the address as its own. */
function selectByAddress(kind: 'email' | 'phone'): string {
  return `${SELECT} and contact.id = coalesce(
    (select own.id from contacts own where own.organization_id = $1 and own.${kind} = $2),
    (select a.contact_id from contact_aliases a where a.organization_id = $1 and a.kind = '${kind}' and a.value = $2))`;
}

/**
 * Restricts a page query to the contacts that the text index finds. Three values follow those of the query: two texts and
 * the highest number of matches.
 */
function indexedPageStatement(query: SelectQueryBuilder<Contact>): BoundStatement {
  const [page, values] = query.andWhere('contact.id = any(few.ids)').getQueryAndParameters();
  return { text: restrictToIndexed(page, values.length), values: values as unknown[] };
}

function restrictToIndexed(page: string, valueCount: number): string {
  const places = [1, 2, 3].map((place) => `$${valueCount + place}`).join(', ');
  // Without `materialized`, PostgreSQL would search the index once for each use of the ids.
  return `with few as materialized (select public.find_contact_ids(${places}) as ids)
    select few.ids is null as exceeds_index_limit, page.* from few left join lateral (${page}) page on true`;
}

/** Returns one or two search texts. A contact matches when its text contains either of them. */
function searchTexts(given: string): [string, string | null] {
  // Phone numbers are stored without the spaces that people write.
  const isPhone = /^[+(]?[0-9][0-9 ()-]{2,}$/.test(given);
  return [foldText(given), isPhone ? foldText(given.replace(/[ ()-]/g, '')) : null];
}
