import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import type { ContactPage } from './contact.js';

/** More than are looked up by the index. */
const MANY = 3000;

describe('a search among many contacts', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
    acme = await createOrganization(switchboard);
    const other = await createOrganization(switchboard);
    for (const { id } of [acme, other]) {
      await switchboard.ownerQuery(
        `insert into contacts (organization_id, id, email, search_text, created_at)
         select $1, 'con_' || n, 'person' || n || '@example.com', 'person' || n || '@example.com',
           now() - make_interval(secs => n)
         from generate_series(1, $2::integer) n`,
        [id, MANY],
      );
    }
    await switchboard.ownerQuery('analyze contacts');
  });
  afterAll(() => switchboard.close());

  const pages = async (query: string): Promise<string[]> => {
    const found: string[] = [];
    let cursor: string | null | undefined;
    do {
      const given: object = { query, limit: 100, cursor };
      const { value, error } = await acme.call<ContactPage>('search_contacts', given);
      expect(error).toBeUndefined();
      found.push(...value.contacts.map(({ id }) => id));
      cursor = value.next_cursor;
    } while (cursor);
    return found;
  };
  const expected = (fits: (email: string) => boolean): string[] =>
    Array.from({ length: MANY }, (_, index) => index + 1)
      .filter((n) => fits(`person${n}@example.com`))
      .map((n) => `con_${n}`);

  it.each(['person2999@', 'N123', '777', 'on1', 'example', '@', '2@e', '_', '%'])(
    'finds every contact with %s once, in order, however many there are',
    async (query) => {
      const wanted = expected((email) => email.includes(query.toLowerCase()));
      expect(await pages(query)).toEqual(wanted);
    },
  );

  it('looks for few matches by the index alone', async () => {
    const [found] = await switchboard.ownerQuery<{ source: string }>(
      `select prosrc as source from pg_proc where proname = 'contacts_containing'`,
    );
    const [statement] = /select c\.id[^]*limit most \+ 1/.exec(found!.source)!;
    const given = `with given as materialized (select '${acme.id}'::text as organization, 'son2999@' as wanted,
      null as other, 1000 as most, '{1,2}'::bigint[] as wanted_keys, '{3}'::bigint[] as other_keys) `;
    const plan = statement.replaceAll(
      /\b(organization|wanted|other|most|wanted_keys|other_keys)\b/g,
      '(select $1 from given)',
    );
    const rows = await switchboard.ownerQuery<{ 'QUERY PLAN': string }>(
      `explain (costs off) ${given}${plan}`,
    );
    const lines = rows.map((row) => row['QUERY PLAN']);
    expect(lines.filter((line) => /Seq Scan|Index Scan|Index Only Scan/.test(line))).toEqual([
      expect.stringContaining('Bitmap Index Scan on contacts_search_text_idx'),
      expect.stringContaining('Bitmap Index Scan on contacts_search_text_idx'),
    ]);
  });
});
