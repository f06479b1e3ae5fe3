import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ScheduleWorker } from '../../src/workflows/triggers/schedule.worker.js';
import { createOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow } from './support/workflow-client.js';

const SCHEDULES = 40;
const yearly = { trigger: { type: 'schedule', cron: '0 0 1 1 *' } };

let switchboard: Switchboard;
beforeAll(async () => {
  // One tick of an organization at a time, so the order of its runs is the order of its ticks.
  switchboard = await startSwitchboard({ env: { WORKER_CONCURRENCY: '1' } });
});
afterAll(() => switchboard.close());

it('a worker starts the run of an organization before it has processed all due schedules of another organization', async () => {
  const busy = await createOrganization(switchboard);
  const acme = await createOrganization(switchboard);
  for (let count = 0; count < SCHEDULES; count += 1) await createWorkflow(busy, [], yearly);
  await createWorkflow(acme, [], yearly);
  // The ticks of `busy` are due earlier.
  await switchboard.ownerQuery(
    `update workflow_schedules set next_tick_at = now(),
       available_at = now() - case organization_id when $1 then interval '0' else interval '1 s' end`,
    [acme.id],
  );
  const order = await waitFor(async () => {
    const rows = await switchboard.ownerQuery<{ by: string }>(
      'select organization_id as by from workflow_runs order by created_at, id',
    );
    return rows.length > SCHEDULES ? rows.map(({ by }) => by) : undefined;
  });
  expect(order).toHaveLength(SCHEDULES + 1);
  expect(order.indexOf(acme.id)).toBeLessThan(SCHEDULES / 2);
});

it('a worker starts the run of an organization while the tick of another organization waits for a lock', async () => {
  const busy = await createOrganization(switchboard);
  const acme = await createOrganization(switchboard);
  const holder = new Client({ connectionString: switchboard.databaseUrl });
  await holder.connect();
  try {
    const { id } = await createWorkflow(busy, [], yearly);
    await createWorkflow(acme, [], yearly);
    await holder.query('begin');
    await holder.query('select from workflow_versions where workflow_id = $1 for update', [id]);
    await waitFor(async () => {
      await switchboard.ownerQuery(
        `update workflow_schedules set next_tick_at = now(), available_at = now()
         where organization_id = any($1) and next_tick_at > now()`,
        [[busy.id, acme.id]],
      );
      const started = await switchboard.ownerQuery(
        `select from workflow_runs r join pg_stat_activity a on a.query_start < r.created_at
         where r.organization_id = $1 and a.datname = current_database() and a.wait_event_type = 'Lock'`,
        [acme.id],
      );
      return started.length > 0;
    });
  } finally {
    await holder.end();
  }
});

it('a claim leaves out the ticks of an organization that has used its slots', async () => {
  const web = await startSwitchboard({ env: { ROLE: 'web' } });
  try {
    const busy = await createOrganization(web);
    const acme = await createOrganization(web);
    const { id } = await createWorkflow(busy, [], yearly);
    for (const by of [busy, busy, busy, acme, acme, acme, acme]) {
      await createWorkflow(by, [], yearly);
    }
    await web.ownerQuery(`update workflow_schedules set available_at = now() - interval '1 s'`);
    const worker = web.app.get(ScheduleWorker, { strict: false });
    const share = (room: number) => ({ after: '', room: 1, rooms: { [busy.id]: room } });
    expect(await worker.claim(1, id, share(0))).toEqual([]);
    expect(await worker.claim(4, undefined, share(0))).toMatchObject([{ organizationId: acme.id }]);
    const claims = await worker.claim(8, undefined, share(2));
    const organizations = claims.map(({ organizationId }) => organizationId).sort();
    expect(organizations).toEqual([busy.id, busy.id, acme.id].sort());
    // A claim compares 5,000 ticks.
    await web.ownerQuery(
      'alter table workflow_schedules drop constraint workflow_schedules_workflow_id_fkey',
    );
    await web.ownerQuery(
      `insert into workflow_schedules (organization_id, workflow_id, next_tick_at, available_at)
       select $1, 'wf_' || number, now(), now() - interval '1 day' from generate_series(1, 5000) number`,
      [busy.id],
    );
    expect(await worker.claim(4, undefined, share(0))).toMatchObject([{ organizationId: acme.id }]);
  } finally {
    await web.close();
  }
});
