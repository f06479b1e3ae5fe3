import { afterAll, beforeAll, expect, it } from 'vitest';
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

/** Returns the run of a new organization that waits for the event `custom.paid`. */
async function waiting(condition?: string): Promise<{ by: TestOrganization; runId: string }> {
  const by = await createOrganization(switchboard);
  const wait = { event: 'custom.paid', timeout: { days: 1 }, ...(condition && { if: condition }) };
  const { id } = await createWorkflow(by, [{ id: 'paid', wait_for_event: wait }], {
    trigger: { type: 'manual' },
  });
  const runId = await trigger(by, id);
  await runUntil(by, runId, 'waiting');
  return { by, runId };
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
