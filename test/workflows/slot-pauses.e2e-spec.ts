import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXPENSIVE_PAYLOAD } from '../operations/support/hostile-workflows.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, runUntil, trigger } from './support/workflow-client.js';

/** The number of waits. Their conditions together need more processor time than an organization can have at once. */
const WAITS = 110;

let switchboard: Switchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await startSwitchboard({ env: { WORKER_CONCURRENCY: '1' } });
  acme = await createOrganization(switchboard);
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

/** Sets the quota of runs and measures the organization, as `npm run quotas` does. */
async function limitRuns(amount: number): Promise<void> {
  await switchboard.ownerQuery(
    `insert into private.quota_exceptions (organization_id, name, amount) values ($1, 'runs', $2)
     on conflict (organization_id, name) do update set amount = excluded.amount`,
    [acme.id, amount],
  );
  await switchboard.ownerQuery('select gate.measure_quotas($1)', [acme.id]);
}

/** Returns the seconds until a row is due again, when this is more than its lease of 15 s. */
async function paused(table: string): Promise<number> {
  return await waitFor(async () => {
    const [row] = await switchboard.ownerQuery<{ seconds: number }>(
      `select cast(extract(epoch from available_at - clock_timestamp()) as float8) as seconds from ${table}
       where organization_id = $1`,
      [acme.id],
    );
    return row && row.seconds > 16 && row.seconds < 1000 ? row.seconds : undefined;
  });
}

it('a tick over a used quota frees its slot and is due again after a pause', async () => {
  await createWorkflow(acme, [], { trigger: { type: 'schedule', cron: '0 0 1 1 *' } });
  await limitRuns(0);
  await switchboard.ownerQuery(
    'update workflow_schedules set next_tick_at = now(), available_at = now() where organization_id = $1',
    [acme.id],
  );
  expect(await paused('workflow_schedules')).toBeLessThanOrEqual(30);
  await limitRuns(1000);
});

it('an event ends all waits whose conditions need more processor time than the organization has', async () => {
  const isEqual = 'event.data.a == event.data.b and ';
  const condition = `${isEqual.repeat(120)}true`;
  const { id } = await createWorkflow(
    acme,
    [{ id: 'paid', wait_for_event: { event: 'custom.paid', timeout: { days: 1 }, if: condition } }],
    { trigger: { type: 'manual' } },
  );
  const runs = await Promise.all(Array.from({ length: WAITS }, () => trigger(acme, id)));
  for (const run of runs) await runUntil(acme, run, 'waiting');
  const { a, b } = EXPENSIVE_PAYLOAD;
  await acme.call('emit_event', { event: 'custom.paid', data: { a, b } });
  for (const run of runs) await runUntil(acme, run, 'succeeded');
});

it('an event with many waits frees its slot for the event of another organization', async () => {
  const busy = await waiting('event.data.none');
  const other = await waiting();
  await switchboard.ownerQuery(
    `insert into run_waits (organization_id, run_id, step_id, event, contact_id, state, condition, bindings, armed_at,
       armed_xid, armed_snapshot)
     select w.organization_id, w.run_id, 'wait_' || number, w.event, w.contact_id, w.state, w.condition, w.bindings,
       w.armed_at, w.armed_xid, w.armed_snapshot
     from run_waits w cross join generate_series(1, 60000) as number where w.run_id = $1`,
    [busy.runId],
  );
  await busy.by.call('emit_event', { event: 'custom.paid', data: {} });
  await waitFor(async () => {
    const rows = await switchboard.ownerQuery(
      `select from pending_events where organization_id = $1 and after_run_id <> ''`,
      [busy.by.id],
    );
    return rows.length === 1;
  });
  await other.by.call('emit_event', { event: 'custom.paid', data: {} });
  await runUntil(other.by, other.runId, 'succeeded');
  const left = await switchboard.ownerQuery(
    'select from pending_events where organization_id = $1',
    [busy.by.id],
  );
  expect(left).toHaveLength(1);
});
