import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createContact, createSegment, evaluated, tagged } from './segment.js';

const CONTACTS = 60;
const SEGMENTS = 3;

let switchboard: Switchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await startSwitchboard();
  acme = await createOrganization(switchboard);
});
afterAll(() => switchboard.close());

it('a comparison of changed contacts that takes long is divided into several transactions', async () => {
  for (let count = 0; count < SEGMENTS; count += 1) {
    const { id } = await createSegment(acme, { filters: [tagged('vip')] });
    await evaluated(acme, id);
  }
  const ids = await Promise.all(Array.from({ length: CONTACTS }, () => createContact(acme, {})));
  /** Returns the number of members that each transaction has stored. */
  const stored = async (): Promise<number[]> => {
    const rows = await switchboard.ownerQuery<{ members: number }>(
      `select count(*)::int as members from segment_members where organization_id = $1 group by xmin::text`,
      [acme.id],
    );
    return rows.map(({ members }) => members);
  };
  await switchboard.ownerQuery(
    `create function enter_slowly() returns trigger language plpgsql as $$
     begin
       perform pg_sleep(0.05);
       return new;
     end $$;
     create trigger enter_slowly before insert on segment_members for each row execute function enter_slowly()`,
  );
  // One statement changes all contacts, so that one transaction could compare them.
  await switchboard.ownerQuery(
    `update contacts set tags = '{vip}' where organization_id = $1 and id = any($2)`,
    [acme.id, ids],
  );
  const sizes = await waitFor(async () => {
    const sums = await stored();
    return sums.reduce((sum, size) => sum + size, 0) === CONTACTS * SEGMENTS ? sums : undefined;
  });
  expect(sizes.length).toBeGreaterThan(1);
});

it('an organization pauses after a turn of its comparisons that takes long', async () => {
  const slow = await createOrganization(switchboard);
  for (let count = 0; count < 3; count += 1) {
    const { id } = await createSegment(slow, { filters: [tagged('vip')] });
    await evaluated(slow, id);
  }
  await switchboard.ownerQuery(
    `create function enter_very_slowly() returns trigger language plpgsql as $$
     begin
       if new.organization_id = '${slow.id}' then perform pg_sleep(4.2); end if;
       return new;
     end $$;
     create trigger enter_very_slowly before insert on segment_members
     for each row execute function enter_very_slowly()`,
  );
  await createContact(slow, { tags: ['vip'] });
  // The turn takes at least 12.6 s and the pause as long. Without a pause, a lease ends within 15 s after the turn.
  const pause = await waitFor(async () => {
    const [row] = await switchboard.ownerQuery<{ seconds: number | null }>(
      `select extract(epoch from e.lease_until - e.claimed_at)::float8 as seconds from segment_evaluations e
       where e.organization_id = $1 and not exists (
         select from segment_changes c where c.organization_id = e.organization_id)
         and (e.lease_until is null or e.lease_until > e.claimed_at + interval '24 s')`,
      [slow.id],
    );
    return row;
  });
  expect(pause.seconds).toBeGreaterThan(24);
}, 200_000);

it('a first comparison that takes too long for one contact continues in an hour', async () => {
  const endless = await createOrganization(switchboard);
  await createContact(endless, { first_name: 'Ada' });
  await switchboard.ownerQuery(
    `create function compare_endlessly(id text) returns boolean language plpgsql as $$
     begin
       if current_query() like '%ilike%' then perform pg_sleep(60); end if;
       return true;
     end $$;
     grant execute on function compare_endlessly to public;
     create policy slow on contacts as restrictive to public
     using (organization_id <> '${endless.id}' or compare_endlessly(id))`,
  );
  const { id } = await createSegment(endless, {
    filters: [{ field: 'first_name', operator: 'contains', value: 'Ada' }],
  });
  const row = await waitFor(async () => {
    const [postponed] = await switchboard.ownerQuery<{ baseline: boolean }>(
      `select baseline from segments
       where organization_id = $1 and id = $2 and sweep_at > now() + interval '50 minutes'`,
      [endless.id, id],
    );
    return postponed;
  }, 250_000);
  expect(row.baseline).toBe(true);
}, 300_000);

it('a first comparison whose filters are costly is divided into transactions that are short enough', async () => {
  const costly = await createOrganization(switchboard);
  await switchboard.ownerQuery(
    `insert into contacts (organization_id, id, external_id, search_text, properties)
     select $1, 'con_' || number, number::text, '', jsonb_build_object('text', repeat('ａ', 1024))
     from generate_series(1, 2000) as number`,
    [costly.id],
  );
  // At each position of the property, a condition compares 511 equal characters before it finds a different one.
  const conditions = Array.from({ length: 50 }, (_, index) => ({
    field: 'properties.text',
    operator: 'contains',
    value: `${'ａ'.repeat(511)}${index}`,
  }));
  const { id } = await createSegment(costly, {
    filters: [{ or: conditions }],
  });
  const position = await waitFor(async () => {
    const [row] = await switchboard.ownerQuery<{ position: string }>(
      'select position from segments where organization_id = $1 and id = $2',
      [costly.id, id],
    );
    return row?.position;
  });
  expect(position).toMatch(/^con_/);
}, 150_000);
