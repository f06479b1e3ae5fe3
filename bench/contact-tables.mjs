// Inserts the contacts of `contacts.mjs` into the tables that the contestants search.
import { contactOf, ORGANIZATIONS } from './contacts.mjs';
import { makeDatabase, withClient } from './databases.mjs';

const AT_ONCE = 10_000;
const COLUMNS = ['organization_id', ...Object.keys(contactOf(0, 0))];

/**
 * Creates the table of the peers for fast searches: it has a column with the text to search, a trigram index on it, and
 * an index for the order of a page.
 */
export const PEER_TABLE = `
  create extension pg_trgm;
  create table contacts (
    organization_id text not null,
    id text primary key,
    external_id text,
    email text,
    phone text,
    first_name text,
    last_name text,
    locale text,
    timezone text,
    tags text[] not null,
    properties jsonb not null,
    consent jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    search_text text not null generated always as (lower(
      coalesce(first_name, '') || ' ' || coalesce(last_name, '') || E'\\n' || coalesce(email, '') || E'\\n' ||
      coalesce(phone, '') || E'\\n' || coalesce(external_id, ''))) stored
  )`;
export const PEER_INDEXES = [
  'create index on contacts using gin (search_text gin_trgm_ops)',
  'create index on contacts (organization_id, created_at desc, id desc)',
];

/** Creates the unique keys of contacts, by which imports detect contacts that exist already. */
export const PEER_KEYS = ['external_id', 'email', 'phone'].map(
  (column) => `create unique index on contacts (organization_id, ${column})`,
);

/**
 * Creates one database for each name, with `count` contacts in each organization. Returns the addresses of the
 * databases by name.
 */
export async function makePeerDatabases(
  serverUrl,
  names,
  count,
  template = 'bench_contacts',
  make = contactOf,
) {
  if (names.length === 0) return {};
  const url = await makeDatabase(serverUrl, template);
  await withClient(url, async (client) => {
    await client.query(PEER_TABLE);
    const organizations = Array.from({ length: ORGANIZATIONS }, (_, index) => `org_${index}`);
    await insert(client, organizations, count, COLUMNS, make);
    for (const index of PEER_INDEXES) await client.query(index);
    await client.query('vacuum analyze contacts');
  });
  const urls = {};
  for (const name of names) {
    const database = `${template}_${name.replaceAll('-', '_')}`;
    urls[name] = await makeDatabase(serverUrl, database, template);
  }
  return urls;
}

/**
 * Inserts `count` contacts into Switchboard's table for the organization, and `count` contacts for each of nine other
 * organizations.
 */
export async function fillSwitchboard(url, organizationId, count, make = contactOf) {
  const { searchText } = await import('../dist/src/contacts/contact-fields.js');
  const withText = (organization, number) => {
    const contact = make(organization, number);
    const { external_id: externalId, first_name: firstName, last_name: lastName } = contact;
    return { ...contact, search_text: searchText({ ...contact, externalId, firstName, lastName }) };
  };
  await withClient(url, async (client) => {
    const { rows } = await client.query(
      `insert into organizations (id, name)
       select 'org_' || substr(md5(random()::text || n), 1, 22), 'Bench ' || n from generate_series(2, $1::int) n
       returning id`,
      [ORGANIZATIONS],
    );
    // Creating the trigram index at the end is faster than updating it for each contact.
    const { rows: indexes } = await client.query(
      `select indexdef from pg_indexes where schemaname = 'public' and indexname = 'contacts_search_text_idx'`,
    );
    if (indexes.length !== 1) throw new Error('The index for searching contacts was not found.');
    await client.query('drop index public.contacts_search_text_idx');
    await client.query('set session_replication_role = replica');
    const organizations = [organizationId, ...rows.map(({ id }) => id)];
    await insert(client, organizations, count, [...COLUMNS, 'search_text'], withText);
    await client.query(indexes[0].indexdef);
    await client.query('vacuum analyze contacts');
    // Without a checkpoint now, PostgreSQL would write the pages during the contests.
    await client.query('checkpoint');
  });
}

async function insert(client, organizations, count, columns, rowOf) {
  const list = columns.join(', ');
  for (const [organization, organization_id] of organizations.entries()) {
    for (let first = 0; first < count; first += AT_ONCE) {
      const rows = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, index) => ({
        ...rowOf(organization, first + index),
        organization_id,
      }));
      await client.query(
        `insert into public.contacts (${list})
         select ${list} from json_populate_recordset(null::public.contacts, $1)`,
        [JSON.stringify(rows)],
      );
    }
  }
}
