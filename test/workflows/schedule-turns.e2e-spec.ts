import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow } from './support/workflow-client.js';

const SCHEDULES = 40;
const yearly = { trigger: { type: 'schedule', cron: '0 0 1 1 *' } };

let switchboard: Switchboard;
beforeAll(async () => {
  // One tick at a time, so the order of the runs is the order of the ticks.
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
