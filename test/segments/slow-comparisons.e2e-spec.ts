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
