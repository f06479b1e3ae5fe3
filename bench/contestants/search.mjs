// Implements search_contacts for the peers on the table of `contact-tables.mjs`, with the features that the contest
// needs.
import pg from 'pg';
import { PEER_ORGANIZATION } from '../contacts.mjs';
import { echo, resultOf, SEARCH } from './serve.mjs';

/** The number of connections, the same as in Switchboard. */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const SELECT = `select id, external_id, email, phone, first_name, last_name, locale, timezone, tags, properties, consent,
    created_at, updated_at
  from contacts`;
const STATEMENT = `${SELECT} where organization_id = $1 and search_text like $2
  order by created_at desc, id desc limit $3`;

const CONDITIONS = {
  'properties.plan': (place) => `properties ->> 'plan' = ${place}`,
  'properties.account': (place) => `properties ->> 'account' = ${place}`,
  tags: (place) => `tags @> array[${place}::text]`,
  segment: (place) => `id in (select contact_id from segment_members where segment = ${place})`,
};

/** Returns the function of `search_contacts` or `echo` for the peers. */
export function handlerOf(name) {
  return name === SEARCH
    ? async (given) => resultOf(await searchContacts(given))
    : async ({ text }) => echo(text);
}

/** Returns the newest contacts that contain the text. */
export async function searchContacts({ query = '', limit = 20 }) {
  const pattern = `%${query.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
  // The statement is not prepared, because a generic plan does not use the trigram index.
  return pageOf(await pool.query(STATEMENT, [PEER_ORGANIZATION, pattern, limit + 1]), limit);
}

/** Returns the newest contacts that match conditions on properties, tags and segments, with hand-written SQL. */
export async function filterContacts(filters) {
  const limit = 20;
  const values = [PEER_ORGANIZATION, limit + 1];
  const conditions = filters.map(({ field, value }) => CONDITIONS[field](`$${values.push(value)}`));
  const text = `${SELECT} where organization_id = $1 and ${conditions.join(' and ')}
    order by created_at desc, id desc limit $2`;
  return pageOf(await pool.query(text, values), limit);
}

function pageOf({ rows }, limit) {
  const contacts = rows.slice(0, limit).map((row) => ({
    ...row,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }));
  const last = rows.length > limit ? contacts.at(-1) : undefined;
  return { contacts, next_cursor: last ? `${last.created_at} ${last.id}` : null };
}
