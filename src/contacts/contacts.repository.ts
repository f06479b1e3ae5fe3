import { Injectable } from '@nestjs/common';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import { violatedConstraint } from '../database/database-error.js';
import { ONE_PLAN } from '../database/driver/prepared-statements.js';
import { findOne } from '../database/transactions/entity-statements.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { escapeLike, filterCondition } from './contact-condition.js';
import { type ContactFields, foldText, searchText } from './contact-fields.js';
import type { ContactFilter } from './contact-filter.js';
import type { ContactOrder, Position } from './contact-order.js';
import { Contact } from './contact.entity.js';

/** What a contact is known by outside, each unique in its organization, by the names that callers use. */
export const IDENTIFIERS = { external_id: 'externalId', email: 'email', phone: 'phone' } as const;
export type Identifier = keyof typeof IDENTIFIERS;

/** More contacts than this are found sooner in order than by the index. */
const MOST_BY_INDEX = 1000;

interface Statement {
  text: string;
  values: unknown[];
}

interface ContactRow {
  contact_organization_id: string;
  contact_id: string;
  contact_external_id: string | null;
  contact_email: string | null;
  contact_phone: string | null;
  contact_first_name: string | null;
  contact_last_name: string | null;
  contact_locale: string | null;
  contact_timezone: string | null;
  contact_tags: string[];
  contact_properties: Contact['properties'];
  contact_consent: Contact['consent'];
  contact_created_at: Date;
  contact_updated_at: Date;
}

/** A contact that was found, or one without an id where none was. */
interface FoundRow extends ContactRow {
  are_many: boolean;
}

@Injectable()
export class ContactsRepository {
  /** By order and limit, the text of the statement for a first page without conditions. */
  private readonly firstPages = new Map<string, string>();

  constructor(private readonly tenants: TenantDatabase) {}

  async find(organizationId: string, id: string): Promise<Contact | null> {
    const known = this.tenants.lastFound(organizationId).get(keyOf(id));
    return known instanceof Contact ? copyOf(known) : await this.findOne({ organizationId, id });
  }

  /** The contact, which no other transaction can change until this one ends. */
  findForUpdate(organizationId: string, id: string): Promise<Contact | null> {
    return this.manager(organizationId).findOne(Contact, {
      where: { organizationId, id },
      lock: { mode: 'pessimistic_write' },
    });
  }

  findByIdentifier(
    organizationId: string,
    identifier: Identifier,
    value: string,
  ): Promise<Contact | null> {
    return this.findOne({ organizationId, [IDENTIFIERS[identifier]]: value });
  }

  /** Inserts the contact, or returns undefined when one of its identifiers is taken. Never fails for that. */
  async insert(
    organizationId: string,
    id: string,
    fields: ContactFields,
  ): Promise<Contact | undefined> {
    const inserted = await this.manager(organizationId)
      .createQueryBuilder()
      .insert()
      .into(Contact)
      .values({ ...fields, organizationId, id, searchText: searchText(fields) })
      .orIgnore()
      .returning(['createdAt', 'updatedAt'])
      .execute();
    const [row] = inserted.raw as { created_at: Date; updated_at: Date }[];
    if (!row) return undefined;
    const { created_at: createdAt, updated_at: updatedAt } = row;
    return Object.assign(new Contact(), { organizationId, id, ...fields, createdAt, updatedAt });
  }

  /** Writes the fields, or returns the identifier that another contact has; the transaction goes on either way. */
  async update(
    organizationId: string,
    id: string,
    fields: ContactFields,
  ): Promise<Date | Identifier> {
    try {
      // A savepoint: a failed statement would end the whole transaction, which may be that of a workflow's step.
      return await this.manager(organizationId).transaction(async (manager) => {
        const updated = await manager
          .createQueryBuilder()
          .update(Contact)
          .set({ ...fields, searchText: searchText(fields), updatedAt: () => 'now()' })
          .where({ organizationId, id })
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

  /** Returns whether there was such a contact. */
  async delete(organizationId: string, id: string): Promise<boolean> {
    const deleted = await this.manager(organizationId).delete(Contact, { organizationId, id });
    return deleted.affected === 1;
  }

  /** At most `limit` contacts that match the text and every filter, in order, from after `position` on. */
  async search(
    organizationId: string,
    search: { text: string | undefined; filters: readonly ContactFilter[] },
    order: ContactOrder,
    position: Position | undefined,
    limit: number,
  ): Promise<Contact[]> {
    const query = (): SelectQueryBuilder<Contact> =>
      this.ordered(organizationId, search.filters, order, position, limit);
    if (!search.text) return await this.inOrder(organizationId, query());
    const texts = textsOf(search.text);
    const isPlain = search.filters.length === 0 && !position;
    const statement = isPlain
      ? this.firstPage(organizationId, order, limit, query)
      : statementOf(query());
    const few = await this.ofFew(organizationId, statement, texts);
    if (few) return few;
    // Behind row-level security the planner has no statistics, takes every pattern for a rare one, and would read and
    // sort all contacts for one page. Of a CASE it expects that half of them match.
    const [pattern, other] = texts.map((text) => (text === null ? null : `%${escapeLike(text)}%`));
    const isMatch = `case when contact.searchText like :pattern or contact.searchText like :other then true else false end`;
    return await this.inOrder(organizationId, query().andWhere(isMatch, { pattern, other }));
  }

  /** At most `limit` contacts whose id, a name or an identifier begins with the text, in any case; newest first. */
  async startingWith(organizationId: string, text: string, limit: number): Promise<Contact[]> {
    const folded = foldText(text);
    return await this.manager(organizationId)
      .createQueryBuilder(Contact, 'contact')
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

  private ordered(
    organizationId: string,
    filters: readonly ContactFilter[],
    order: ContactOrder,
    position: Position | undefined,
    limit: number,
  ): SelectQueryBuilder<Contact> {
    const query = this.manager(organizationId)
      .createQueryBuilder(Contact, 'contact')
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

  /** The statement of most searches, of which only the organization differs. */
  private firstPage(
    organizationId: string,
    { sort }: ContactOrder,
    limit: number,
    query: () => SelectQueryBuilder<Contact>,
  ): Statement {
    const key = `${sort} ${limit}`;
    const text = this.firstPages.get(key) ?? statementOf(query()).text;
    this.firstPages.set(key, text);
    return { text, values: [organizationId] };
  }

  /**
   * The page among those that match, found by the index, in one statement; undefined where many match, which are sooner
   * found by going through the contacts in order until the page is full.
   */
  private async ofFew(
    organizationId: string,
    { text, values }: Statement,
    texts: readonly [string, string | null],
  ): Promise<Contact[] | undefined> {
    const rows = await this.tenants.read<FoundRow>(organizationId, text, [
      ...values,
      ...texts,
      MOST_BY_INDEX,
    ]);
    if (rows[0]!.are_many) return undefined;
    return rows.filter((row) => row.contact_id !== null).map(contactOf);
  }

  private async inOrder(
    organizationId: string,
    query: SelectQueryBuilder<Contact>,
  ): Promise<Contact[]> {
    const [text, values] = query.getQueryAndParameters();
    return (await this.tenants.read<ContactRow>(organizationId, text, values as unknown[])).map(
      contactOf,
    );
  }

  private async findOne(where: Partial<Contact> & { organizationId: string }) {
    const { organizationId } = where;
    const found = await this.tenants.lastFound(organizationId).keep(
      () => findOne(this.manager(organizationId), Contact, where),
      (contact) => (contact ? keyOf(contact.id) : undefined),
    );
    return found && copyOf(found);
  }

  private manager(organizationId: string): EntityManager {
    return this.tenants.manager(organizationId);
  }
}

function keyOf(id: string): string {
  return `contact ${id}`;
}

/** Whoever gets a contact may change it. */
function copyOf(contact: Contact): Contact {
  const { tags, properties, consent } = contact;
  return Object.assign(new Contact(), contact, structuredClone({ tags, properties, consent }));
}

/** For a page among those that match; the texts that they contain, and how many may match, come after its values. */
function statementOf(query: SelectQueryBuilder<Contact>): Statement {
  const [page, values] = query.andWhere('contact.id = any(few.ids)').getQueryAndParameters();
  const places = [1, 2, 3].map((place) => `$${values.length + place}`).join(', ');
  // Materialized, or the index would be searched once for each place where the ids are named.
  const text = `${ONE_PLAN} with few as materialized (select public.contacts_containing(${places}) as ids)
    select few.ids is null as are_many, page.* from few left join lateral (${page}) page on true`;
  return { text, values: values as unknown[] };
}

/** As TypeORM would, but it looks at each column anew for each row. */
function contactOf(row: ContactRow): Contact {
  return Object.assign(new Contact(), {
    organizationId: row.contact_organization_id,
    id: row.contact_id,
    externalId: row.contact_external_id,
    email: row.contact_email,
    phone: row.contact_phone,
    firstName: row.contact_first_name,
    lastName: row.contact_last_name,
    locale: row.contact_locale,
    timezone: row.contact_timezone,
    tags: row.contact_tags,
    properties: row.contact_properties,
    consent: row.contact_consent,
    createdAt: row.contact_created_at,
    updatedAt: row.contact_updated_at,
  } satisfies Omit<Contact, 'searchText'>);
}

/** What the text of a contact must contain: one text, or either of two. */
function textsOf(given: string): [string, string | null] {
  // People write phone numbers with spaces; they are stored without.
  const isPhone = /^[+(]?[0-9][0-9 ()-]{2,}$/.test(given);
  return [foldText(given), isPhone ? foldText(given.replace(/[ ()-]/g, '')) : null];
}
