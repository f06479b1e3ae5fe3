import { Injectable } from '@nestjs/common';
import { type Statement, prepared } from '../database/driver/statement.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { type ContactFields, searchText } from './contact-fields.js';
import { withConsentOrigin } from './consent-origin.js';
import { COLUMNS, type Identifier, aliasLines, takenIdentifier } from './contact-statements.js';
import type { Contact } from './contact.entity.js';

/** A contact that has one of the identifiers that were looked up. */
export interface Holder {
  identifier: Identifier;
  value: string;
  contact_id: string;
}

interface Inserted {
  id: string;
  created_at: Date;
}

/** A contact of a list. Tags and properties are missing when it is cut. */
export interface ListedContact extends Contact {
  isCut: boolean;
  /** The size of the stored contact as text. */
  bytes: number;
}

export interface WrittenContact {
  id: string;
  fields: ContactFields;
}

/** The largest contact, as text in bytes, whose tags and properties are listed. The service stores smaller ones only. */
const MOST_BYTES = 1024 * 1024;
/** The bytes of the longest name of a property that is listed. The service stores shorter names only. */
const LONGEST_NAME = 1024;
// These three statements are not prepared. A plan that was made while the table was small would read the whole table
// for each batch later.
const FIND_HOLDERS = `select 'external_id' as identifier, external_id as value, id as contact_id
     from contacts where organization_id = $1 and external_id = any($2)
   union all select 'email', email, id from contacts where organization_id = $1 and email = any($3)
   union all select 'phone', phone, id from contacts where organization_id = $1 and phone = any($4)
   union all select kind, value, contact_id from contact_aliases
     where organization_id = $1 and kind = 'email' and value = any($3)
   union all select kind, value, contact_id from contact_aliases
     where organization_id = $1 and kind = 'phone' and value = any($4)
   union all select kind, value, contact_id from contact_aliases
     where organization_id = $1 and kind = 'external_id' and value = any($2)`;
/**
 * Locks contacts in the order of their ids. Without the order, two transactions with the same contacts could wait for
 * each other.
 */
const LOCK = `select ${COLUMNS} from contacts contact
   where contact.organization_id = $1 and contact.id = any($2) order by contact.id for update`;
const LIST_AFTER = prepared(
  'contact_batch_after',
  `select ${COLUMNS}, contact.bytes, contact.bytes > ${MOST_BYTES} as "isCut" from (
     select organization_id, id, external_id, email, phone, first_name, last_name, locale, timezone, consent,
       created_at, updated_at, bytes,
       case when bytes > ${MOST_BYTES} then '{}' else tags end as tags,
       case when bytes > ${MOST_BYTES} then '{}' else properties end as properties,
       row_number() over in_order as number, sum(bytes) over in_order as total
     from (
       select found.*, octet_length(found::text) as bytes
       from (select * from contacts where organization_id = $1 and id > $2 order by id limit $3) found
     ) next window in_order as (order by id)
   ) contact where contact.number = 1 or contact.total <= $4 order by contact.id`,
);
const GIVEN = `json_to_recordset($2) as given (id text, external_id text, email text, phone text, first_name text,
  last_name text, locale text, timezone text, tags text[], properties jsonb, consent jsonb, search_text text)`;
const INSERT_GIVEN = `insert into contacts (organization_id, id, external_id, email, phone, first_name, last_name,
     locale, timezone, tags, properties, consent, search_text)
   select $1, id, external_id, email, phone, first_name, last_name, locale, timezone, tags, properties, consent,
     search_text from ${GIVEN}`;
const RETURNING = 'returning id, created_at';
const INSERT = prepared('contact_batch_insert', `${INSERT_GIVEN} ${RETURNING}`);
const INSERT_UNTAKEN = prepared(
  'contact_batch_insert_untaken',
  `${INSERT_GIVEN} on conflict do nothing ${RETURNING}`,
);
const UPDATE = `update contacts c set external_id = given.external_id, email = given.email, phone = given.phone,
     first_name = given.first_name, last_name = given.last_name, locale = given.locale, timezone = given.timezone,
     tags = given.tags, properties = given.properties, consent = given.consent, updated_at = now(),
     search_text = given.search_text || ${aliasLines('given.id')}
   from ${GIVEN} where c.organization_id = $1 and c.id = given.id returning c.id, c.updated_at`;

/** Writes many contacts with one statement. Every method needs a transaction of the organization. */
@Injectable()
export class ContactBatchesRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** For each value, returns the contact that has this value as an identifier or as an alias. */
  async findHolders(
    organizationId: string,
    values: Readonly<Record<Identifier, readonly string[]>>,
  ): Promise<Holder[]> {
    return await this.tenants
      .session(organizationId)
      .query<Holder>(FIND_HOLDERS, [
        organizationId,
        values.external_id,
        values.email,
        values.phone,
      ]);
  }

  /** Returns the contacts and locks them until the transaction ends. */
  async lock(organizationId: string, ids: readonly string[]): Promise<Contact[]> {
    return await this.tenants.session(organizationId).query<Contact>(LOCK, [organizationId, ids]);
  }

  /** Marks the contacts that this transaction has written, so that they enter and leave segments without events. */
  async silence(organizationId: string): Promise<void> {
    await this.tenants
      .session(organizationId)
      .query(
        'update segment_changes set silent = true where organization_id = $1 and xid = cast(pg_current_xact_id() as text)',
        [organizationId],
      );
  }

  /** Runs `work`. The log of consent names the import as the origin of the changes of `work`. */
  async withImportOrigin(organizationId: string, work: () => Promise<void>): Promise<void> {
    await withConsentOrigin(this.tenants.session(organizationId), 'import', undefined, work);
  }

  async listAfter(
    organizationId: string,
    after: string,
    most: { rows: number; bytes: number },
  ): Promise<ListedContact[]> {
    return await this.tenants
      .session(organizationId)
      .query<ListedContact>(LIST_AFTER, [organizationId, after, most.rows, most.bytes]);
  }

  async listPropertyNames(organizationId: string, limit: number): Promise<string[]> {
    const rows = await this.tenants.session(organizationId).query<{ name: string }>(
      `select distinct name from contacts, jsonb_object_keys(properties) name
       where organization_id = $1 and octet_length(name) <= ${LONGEST_NAME} order by 1 limit $2`,
      [organizationId, limit],
    );
    return rows.map(({ name }) => name);
  }

  /**
   * Inserts the contacts and returns their times of creation by their ids. A contact with a taken identifier is
   * not inserted.
   */
  async insert(
    organizationId: string,
    contacts: readonly WrittenContact[],
  ): Promise<Map<string, Date>> {
    const session = this.tenants.session(organizationId);
    const values = [organizationId, toJson(contacts)];
    const insertBy = (statement: Statement): Promise<Inserted[]> =>
      session.query<Inserted>(statement, values);
    // With ON CONFLICT, PostgreSQL reads all unique indexes twice for each row. So it is used only for a batch with a
    // taken identifier.
    const rows = await this.tenants
      .savepoint(organizationId, () => insertBy(INSERT))
      .catch((error: unknown) => {
        if (takenIdentifier(error)) return insertBy(INSERT_UNTAKEN);
        throw error;
      });
    return new Map(rows.map((row) => [row.id, row.created_at]));
  }

  /**
   * Updates the contacts and returns their times of change by their ids. Returns undefined when an identifier of a
   * contact is taken. The transaction then stays usable.
   */
  async update(
    organizationId: string,
    contacts: readonly WrittenContact[],
  ): Promise<Map<string, Date> | undefined> {
    try {
      return await this.tenants.savepoint(organizationId, async () => {
        const rows = await this.tenants
          .session(organizationId)
          .query<{ id: string; updated_at: Date }>(UPDATE, [organizationId, toJson(contacts)]);
        return new Map(rows.map((row) => [row.id, row.updated_at]));
      });
    } catch (error) {
      if (takenIdentifier(error)) return undefined;
      throw error;
    }
  }
}

function toJson(contacts: readonly WrittenContact[]): string {
  return JSON.stringify(
    contacts.map(({ id, fields }) => ({
      id,
      external_id: fields.externalId,
      email: fields.email,
      phone: fields.phone,
      first_name: fields.firstName,
      last_name: fields.lastName,
      locale: fields.locale,
      timezone: fields.timezone,
      tags: fields.tags,
      properties: fields.properties,
      consent: fields.consent,
      search_text: searchText(fields),
    })),
  );
}
