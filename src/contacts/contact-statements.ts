import type { SelectQueryBuilder } from 'typeorm';
import { violatedConstraint } from '../database/database-error.js';
import { type BoundStatement, prepared } from '../database/driver/statement.js';
import { type ContactFields, foldText, searchText } from './contact-fields.js';
import { CONTACT_SORTS, ContactOrder } from './contact-order.js';
import type { Contact } from './contact.entity.js';
import type { IndexKeys } from './filter-tree.js';

/** The column of each identifier, by the name of its argument. Each identifier is unique in its organization. */
export const IDENTIFIERS = { external_id: 'externalId', email: 'email', phone: 'phone' } as const;
export type Identifier = keyof typeof IDENTIFIERS;

/**
 * The largest number of contacts that are read through an index. When more contacts match, reading them in sort order
 * is faster.
 */
export const MOST_BY_INDEX = 1000;

/**
 * The columns, named as the properties of {@link Contact}, so that a row is a contact. A query of TypeORM takes longer,
 * because TypeORM examines the metadata of each column again for each row.
 */
export const COLUMNS = `contact.organization_id as "organizationId", contact.id, contact.external_id as "externalId",
  contact.email, contact.phone, contact.first_name as "firstName", contact.last_name as "lastName", contact.locale,
  contact.timezone, contact.tags, contact.properties, contact.consent, contact.created_at as "createdAt",
  contact.updated_at as "updatedAt"`;
/** The number of arguments of each SQL function that searches an index of contacts. */
const INDEX_ARGUMENTS = { find_contact_ids: 3, find_contacts_by_keys: 5, find_segment_contacts: 2 };
type ContactIndex = keyof typeof INDEX_ARGUMENTS;
const SELECT = `select ${COLUMNS} from contacts contact where contact.organization_id = $1`;
export const FIND = prepared('contact', `${SELECT} and contact.id = $2`);
export const FIND_FOR_UPDATE = prepared(
  'contact_for_update',
  `${SELECT} and contact.id = $2 for update`,
);
/** Selects the contact, or the survivor of its merge. */
const SELECT_MERGED = `${SELECT} and contact.id = coalesce(
    (select m.survivor_id from contact_merges m where m.organization_id = $1 and m.merged_id = $2), $2)`;
export const FIND_MERGED = prepared('contact_merged', SELECT_MERGED);
export const FIND_MERGED_FOR_UPDATE = prepared(
  'contact_merged_for_update',
  `${SELECT_MERGED} for update of contact`,
);
/** Locks the contact, or the survivor of its merge, so that the locked contact exists until the transaction ends. */
export const KEEP = prepared('contact_keep', `select ${keptContact('$2')} as id`);
export const FIND_BY = {
  external_id: prepared('contact_by_external_id', selectByAddress('external_id')),
  email: prepared('contact_by_email', selectByAddress('email')),
  phone: prepared('contact_by_phone', selectByAddress('phone')),
} satisfies Record<Identifier, unknown>;
/** Inserts the values of {@link storedValues}. Returns no row when an identifier is taken. */
export const INSERT = prepared(
  'insert_contact',
  `insert into contacts (organization_id, id, external_id, email, phone, first_name, last_name, locale, timezone, tags,
     properties, consent, search_text)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
   on conflict do nothing returning created_at as "createdAt", updated_at as "updatedAt"`,
);
/** Writes the values of {@link storedValues}. Adds the aliases of the contact to its search text. */
export const UPDATE = prepared(
  'update_contact',
  `update contacts set external_id = $3, email = $4, phone = $5, first_name = $6, last_name = $7, locale = $8,
     timezone = $9, tags = $10, properties = $11, consent = $12, updated_at = now(),
     search_text = $13::text || ${aliasLines('$2')}
   where organization_id = $1 and id = $2 returning updated_at as "updatedAt"`,
);
/**
 * The addresses of the contact $2, including its aliases, each with the built-in channel that sends to this address.
 */
const ADDRESSES = `select channel, address from contacts c
     cross join lateral (values ('email', c.email), ('sms', c.phone)) as own (channel, address)
     where c.organization_id = $1 and c.id = $2 and address is not null
   union all select case kind when 'email' then 'email' else 'sms' end, value from contact_aliases
     where organization_id = $1 and contact_id = $2 and kind in ('email', 'phone')`;
const SUPPRESSIONS = `s.organization_id = $1 and (s.channel, s.address) in (${ADDRESSES})`;
/** Counts the rows about the contact $2 in other tables, and locks the contact. */
export const COUNT_TRACES = prepared(
  'contact_traces',
  `select
     (select cast(count(*) as integer) from messages m where m.organization_id = $1 and m.contact_id = $2) as messages,
     (select cast(count(*) as integer) from workflow_runs r where r.organization_id = $1 and r.contact_id = $2) as runs,
     (select cast(count(*) as integer) from suppressed_addresses s where ${SUPPRESSIONS}) as suppressions
   from contacts where organization_id = $1 and id = $2 for update`,
);
/**
 * Deletes messages and returns their number. $1 names the contact. $2 is the signature of $1, which SQL of a tool
 * cannot make.
 */
export const DELETE_MESSAGES = prepared(
  'contact_messages_delete',
  'select delete_contact_messages($1, $2) as count',
);
/** Deletes the suppressions of the addresses of the contact $2, and returns their number. */
export const DELETE_SUPPRESSIONS = prepared(
  'contact_suppressions_delete',
  `with gone as (delete from suppressed_addresses s where ${SUPPRESSIONS} returning id)
   select cast(count(*) as integer) as count from gone`,
);
/**
 * A prepared statement for each sort order. The statement searches only by text, because most searches are by text
 * alone.
 */
export const FIRST_PAGES = new Map(
  CONTACT_SORTS.map((sort) => {
    const { direction, nulls = '' } = new ContactOrder(sort);
    const column = sort.replace('-', '');
    const page = `${SELECT} and contact.id = any(few.ids)
      order by contact.${column} ${direction} ${nulls}, contact.id ${direction} limit $2`;
    return [sort, prepared(`contacts_${sort}`, restrictToIndexed(page, 2, 'find_contact_ids'))];
  }),
);

/**
 * Returns the query for the contact with an address or an alias. It searches the aliases only when no contact has the
 * address as its own.
 */
function selectByAddress(kind: Identifier): string {
  return `${SELECT} and contact.id = coalesce(
    (select own.id from contacts own where own.organization_id = $1 and own.${kind} = $2),
    (select a.contact_id from contact_aliases a where a.organization_id = $1 and a.kind = '${kind}' and a.value = $2))`;
}

/**
 * Restricts a page query to the contacts that an index finds. The arguments of the function that searches the index
 * follow the values of the query.
 */
export function indexedPageStatement(
  query: SelectQueryBuilder<Contact>,
  index: ContactIndex,
): BoundStatement {
  const [page, values] = query.andWhere('contact.id = any(few.ids)').getQueryAndParameters();
  return { text: restrictToIndexed(page, values.length, index), values: values as unknown[] };
}

function restrictToIndexed(page: string, valueCount: number, index: ContactIndex): string {
  const places = Array.from(
    { length: INDEX_ARGUMENTS[index] },
    (_, place) => `$${valueCount + place + 1}`,
  );
  // Without `materialized`, PostgreSQL would search the index once for each use of the ids.
  return `with few as materialized (select public.${index}(${places.join(', ')}) as ids)
    select few.ids is null as exceeds_index_limit, page.* from few left join lateral (${page}) page on true`;
}

/** Returns one or two search texts. A contact matches when its text contains either of them. */
export function searchTexts(given: string): [string, string | null] {
  // Phone numbers are stored without the spaces that people write.
  const isPhone = /^[+(]?[0-9][0-9 ()-]{2,}$/.test(given);
  return [foldText(given), isPhone ? foldText(given.replace(/[ ()-]/g, '')) : null];
}

export function keyValues({ tags, values, names, matchAll }: IndexKeys, most: number): unknown[] {
  return [tags, JSON.stringify(values), names, matchAll, most];
}

/**
 * Returns SQL for the part of the search text of a contact that has its aliases, each on its own line. The contact
 * belongs to the organization `$1`.
 */
export function aliasLines(contactId: string): string {
  return `coalesce((select string_agg(chr(10) || a.value, '' order by a.kind, a.value)
    from contact_aliases a where a.organization_id = $1 and a.contact_id = ${contactId}), '')`;
}

/**
 * Returns SQL for the id of a contact of the organization `$1`, or of the survivor of its merge. The SQL locks the
 * contact, so that it exists until the transaction ends. It gives null for an unknown id.
 */
export function keptContact(contactId: string): string {
  return `coalesce(
    (select c.id from contacts c where c.organization_id = $1 and c.id = ${contactId} for key share),
    case when ${contactId} is not null then public.surviving_contact(${contactId}, null) end)`;
}

/**
 * Returns SQL for the id under which the rows of a contact are stored: the id of the survivor, or else the id of the
 * contact itself.
 */
export function currentContactId(contactId: string): string {
  return `coalesce((select m.survivor_id from contact_merges m
    where m.organization_id = $1 and m.merged_id = ${contactId}), ${contactId})`;
}

/** Returns the identifier that made a statement fail because another contact has it, or undefined for other errors. */
export function takenIdentifier(error: unknown): Identifier | undefined {
  const constraint = violatedConstraint(error);
  const identifiers = Object.keys(IDENTIFIERS) as Identifier[];
  return identifiers.find((name) => constraint === `contacts_organization_id_${name}_key`);
}

/** Returns the values of a stored contact, in the order of the parameters of {@link INSERT} and {@link UPDATE}. */
export function storedValues(
  organizationId: string,
  id: string,
  fields: ContactFields,
): readonly unknown[] {
  return [
    organizationId,
    id,
    fields.externalId,
    fields.email,
    fields.phone,
    fields.firstName,
    fields.lastName,
    fields.locale,
    fields.timezone,
    fields.tags,
    JSON.stringify(fields.properties),
    JSON.stringify(fields.consent),
    searchText(fields),
  ];
}
