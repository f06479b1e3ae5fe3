import { expect, it } from 'vitest';
import { createOrganization } from '../support/organization.js';
import { sharedSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createSegment, evaluated, tagged } from './segment.js';

it('a worker that compares segments waits for no segment while it has locked another segment', async () => {
  const { ownerQuery, ...switchboard } = await sharedSwitchboard();
  const acme = await createOrganization(switchboard);
  for (const tag of ['a', 'b']) {
    const { id } = await createSegment(acme, { filters: [tagged(tag)] });
    await evaluated(acme, id);
  }
  // Until the end of the lease, the worker does not compare these segments again.
  await ownerQuery(
    `update segment_evaluations set lease_until = now() + interval '2 s' where organization_id = $1`,
    [acme.id],
  );
  await ownerQuery(
    'update segments set sweep_at = now(), barrier = null where organization_id = $1',
    [acme.id],
  );
  // A statement that writes the rows of both segments locks the rows in the order of `ctid`.
  const rows = await ownerQuery<{ id: string }>(
    'select id from segments where organization_id = $1 order by ctid',
    [acme.id],
  );
  const [first, last] = rows.map(({ id }) => id);
  await ownerQuery('begin');
  try {
    await ownerQuery('select from segments where id = $1 for update', [last]);
    await waitFor(async () => {
      const [row] = await ownerQuery<{ came: boolean }>(
        `select barrier is not null or exists (
           select from pg_stat_activity where datname = current_database()
             and wait_event_type = 'Lock' and wait_event in ('transactionid', 'tuple')) as came
         from segments where id = $1`,
        [first],
      );
      return row!.came;
    });
    const free = await ownerQuery('select id from segments where id = $1 for update skip locked', [
      first,
    ]);
    expect(free).toEqual([{ id: first }]);
  } finally {
    await ownerQuery('rollback');
  }
});
