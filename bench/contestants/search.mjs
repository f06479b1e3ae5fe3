// Implements search_contacts for the peers on the table of `contact-tables.mjs`, with the features that the contest
// needs.
import pg from 'pg';
import { PEER_ORGANIZATION } from '../contacts.mjs';
import { echo, resultOf, SEARCH } from './serve.mjs';

/** Is the number of connections, the same as in Switchboard. */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const STATEMENT = `select id, external_id, email, phone, first_name, last_name, locale, timezone, tags, properties, consent,
    created_at, updated_at
  from contacts where organization_id = $1 and search_text like $2
  order by created_at desc, id desc limit $3`;

/** Implements the tool for the peers. */
export function handlerOf(name) {
  return name === SEARCH
    ? async (given) => resultOf(await searchContacts(given))
    : async ({ text }) => echo(text);
}

/** Returns the newest contacts that contain the text. */
export async function searchContacts({ query = '', limit = 20 }) {
  const pattern = `%${query.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
  // The statement is not prepared, because a generic plan does not use the trigram index.
  const { rows } = await pool.query(STATEMENT, [PEER_ORGANIZATION, pattern, limit + 1]);
  const contacts = rows.slice(0, limit).map((row) => ({
    ...row,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }));
  const last = rows.length > limit ? contacts.at(-1) : undefined;
  return { contacts, next_cursor: last ? `${last.created_at} ${last.id}` : null };
}
