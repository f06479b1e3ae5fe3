import { afterAll, beforeAll, expect, it } from 'vitest';
import { EventWorker } from '../../src/workflows/waits/event.worker.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { waitFor } from '../support/wait-for.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { createWorkflow, runUntil, trigger } from './support/workflow-client.js';

const EVENTS = 2000;

let switchboard: Switchboard;
beforeAll(async () => {
  switchboard = await startSwitchboard({ env: { WORKER_CONCURRENCY: '2' } });
});
afterAll(() => switchboard.close());

/** Returns the workflow and the run of a new organization that waits for the event `custom.paid`. */
async function waiting(
  condition?: string,
): Promise<{ by: TestOrganization; id: string; runId: string }> {
  const by = await createOrganization(switchboard);
  const wait = { event: 'custom.paid', timeout: { days: 1 }, ...(condition && { if: condition }) };
  const { id } = await createWorkflow(by, [{ id: 'paid', wait_for_event: wait }], {
    trigger: { type: 'manual' },
  });
  const runId = await trigger(by, id);
  await runUntil(by, runId, 'waiting');
  return { by, id, runId };
}

it('a worker delivers the event of an organization before it has delivered the backlog of another organization', async () => {
  const busy = await waiting("event.data.number == 'none'");
  const acme = await waiting();
  const backlog = async (): Promise<number> => {
    const [row] = await switchboard.ownerQuery<{ count: number }>(
      'select cast(count(*) as integer) as count from pending_events where organization_id = $1',
      [busy.by.id],
    );
    return row!.count;
  };
  await switchboard.ownerQuery(
    `insert into pending_events (organization_id, id, name, payload, xid, happened_at)
     select $1, 'evt_' || number, 'custom.paid', '{"event": "custom.paid", "data": {}}', '1', now()
     from generate_series(1, $2) as number`,
    [busy.by.id, EVENTS],
  );
  await waitFor(async () => ((await backlog()) < EVENTS ? true : undefined));
  await acme.by.call('emit_event', { event: 'custom.paid', data: {} });
  await runUntil(acme.by, acme.runId, 'succeeded');
  const left = await backlog();
  expect(left).toBeGreaterThan(EVENTS / 2);
});

it('a delivery whose conditions take long ends its turn before it has compared all waits', async () => {
  const { by, id } = await waiting("event.data.number == 'none'");
  for (let run = 1; run < 6; run += 1) await runUntil(by, await trigger(by, id), 'waiting');
  // Each condition uses up the processor time of a condition.
  const condition = `event.data.texts${' | sort_natural'.repeat(250)}`;
  await switchboard.ownerQuery('update run_waits set condition = $2 where organization_id = $1', [
    by.id,
    condition,
  ]);
  await switchboard.ownerQuery(
    `insert into pending_events (organization_id, id, name, payload, xid, happened_at)
     values ($1, 'evt_slow', 'custom.paid', json_build_object('event', 'custom.paid', 'data',
       json_build_object('texts', (select json_agg(repeat('a', 90) || g) from generate_series(1, 9900) g))), '1', now())`,
    [by.id],
  );
  const lastCompared = new Set<string>();
  await waitFor(async () => {
    const [row] = await switchboard.ownerQuery<{ id: string }>(
      `select after_run_id as id from pending_events where id = 'evt_slow'`,
    );
    if (row) lastCompared.add(row.id);
    return row ? undefined : true;
  });
  expect(lastCompared.size).toBeGreaterThan(1);
});

it('a claim leaves out the events of an organization that has used its slots', async () => {
  const web = await startSwitchboard({ env: { ROLE: 'web' } });
  try {
    const busy = await createOrganization(web);
    const acme = await createOrganization(web);
    await web.ownerQuery(
      `insert into pending_events (organization_id, id, name, payload, xid, happened_at)
       select id, id || number, 'custom.paid', '{}', '1', now() - interval '1 s'
       from organizations, generate_series(1, 4) number where id = any($1)`,
      [[busy.id, acme.id]],
    );
    const worker = web.app.get(EventWorker, { strict: false });
    const share = (room: number) => ({ after: '', room: 1, rooms: { [busy.id]: room } });
    expect(await worker.claim(1, `${busy.id}1`, share(0))).toEqual([]);
    expect(await worker.claim(4, undefined, share(0))).toMatchObject([{ organizationId: acme.id }]);
    const claims = await worker.claim(8, undefined, share(2));
    const organizations = claims.map(({ organizationId }) => organizationId).sort();
    expect(organizations).toEqual([busy.id, busy.id, acme.id].sort());
  } finally {
    await web.close();
  }
});

it('an event that no worker can deliver is deleted', async () => {
  const { by, runId } = await waiting();
  const eventId = 'evt_undeliverable';
  // SQL of a tool can store a wait with these bindings. The statement that looks for waits then fails for each event.
  await switchboard.ownerQuery(
    `update run_waits set event = 'any', bindings = '{"a": "\\u0000"}' where run_id = $1`,
    [runId],
  );
  await switchboard.ownerQuery(
    `insert into pending_events (organization_id, id, name, payload, xid, happened_at, failures)
     values ($1, $2, 'custom.paid', '{}', '1', now(), 20)`,
    [by.id, eventId],
  );
  await waitFor(async () => {
    const rows = await switchboard.ownerQuery('select from pending_events where id = $1', [
      eventId,
    ]);
    return rows.length === 0 ? true : undefined;
  });
});
