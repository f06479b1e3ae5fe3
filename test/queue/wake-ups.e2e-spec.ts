import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContact, send, untilStatus } from '../messaging/support.js';
import { describeOnEachDriver } from '../support/drivers.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import {
  createWorkflow,
  postWebhook,
  runToEnd,
  runUntil,
  trigger,
} from '../workflows/support/workflow-client.js';

const manual = { trigger: { type: 'manual' } };
const miss = { id: 'miss', tool: 'get_contact', arguments: { contact_id: 'con_unknown' } };
const greet = {
  id: 'greet',
  tool: 'create_contact',
  arguments: { external_id: '{{ run.id }}' },
};

describeOnEachDriver('a worker process', describe, () => {
  let web: Switchboard;
  let worker: Switchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    web = await startSwitchboard({ env: { ROLE: 'web' } });
    worker = await startSwitchboard({ env: { ROLE: 'worker' }, databaseUrl: web.databaseUrl });
    acme = await createOrganization(web);
  });
  afterAll(async () => {
    await worker.close();
    await web.close();
  });

  /** Returns the statuses of the workflow's runs once `count` of them have ended. */
  const untilEnded = (workflowId: string, count: number) =>
    waitFor(async () => {
      const runs = await web.ownerQuery<{ status: string }>(
        'select status from workflow_runs where workflow_id = $1 and finished_at is not null',
        [workflowId],
      );
      return runs.length === count && runs.map(({ status }) => status);
    });

  it('executes a run that a webhook started', async () => {
    const { id } = await createWorkflow(acme, [greet]);
    const { body } = await postWebhook(web, id, {});
    expect((await runUntil(acme, body.runId, 'succeeded', 'failed')).status).toBe('succeeded');
  });

  itSlow('executes a run whose wait is over', async () => {
    const { id } = await createWorkflow(acme, [{ id: 'wait', wait: { seconds: 1 } }, greet]);
    expect((await runToEnd(acme, id)).status).toBe('succeeded');
  });

  it('executes a run that waited for an event, and a run that the event started', async () => {
    const waiting = await createWorkflow(
      acme,
      [
        {
          id: 'wait',
          wait_for_event: { event: 'contact.tagged', any_contact: true, timeout: { hours: 1 } },
        },
      ],
      manual,
    );
    const runId = await trigger(acme, waiting.id);
    await runUntil(acme, runId, 'waiting');
    const started = await createWorkflow(acme, [greet], {
      trigger: { type: 'event', event: 'contact.tagged' },
    });
    const contact = await createContact(acme);
    await acme.call('update_contact', { contact_id: contact.id, tags: ['vip'] });
    expect(await untilEnded(waiting.id, 1)).toEqual(['succeeded']);
    expect(await untilEnded(started.id, 1)).toEqual(['succeeded']);
  });

  itSlow('executes a run that a schedule started', async () => {
    const { id } = await createWorkflow(acme, [greet], {
      trigger: { type: 'schedule', cron: '0 9 1 1 *' },
    });
    await web.ownerQuery(
      'update workflow_schedules set next_tick_at = now(), available_at = now() where workflow_id = $1',
      [id],
    );
    expect(await untilEnded(id, 1)).toEqual(['succeeded']);
  });

  it('executes the runs that a limit delayed', async () => {
    const { id } = await createWorkflow(acme, [greet], {
      trigger: { type: 'manual', limits: { concurrency: { runs: 1 } } },
    });
    for (let index = 0; index < 5; index += 1) await trigger(acme, id);
    expect(await untilEnded(id, 5)).toEqual(Array(5).fill('succeeded'));
  });

  it('executes a run that another run started, and then continues the other run', async () => {
    const child = await createWorkflow(acme, [greet], manual);
    const parent = await createWorkflow(acme, [{ id: 'sub', run_workflow: child.id }], manual);
    expect((await runToEnd(acme, parent.id)).status).toBe('succeeded');
    expect(await untilEnded(child.id, 1)).toEqual(['succeeded']);
  });

  it('executes a run that a person retries', async () => {
    const { id } = await createWorkflow(acme, [miss], manual);
    const run = await runToEnd(acme, id);
    expect(run).toMatchObject({ status: 'failed', steps: [{ attempts: 1 }] });
    await acme.call('retry_run', { run_id: run.id });
    await waitFor(async () => {
      const again = await runUntil(acme, run.id, 'failed');
      return again.steps[0]!.failed_attempts.length === 2;
    });
  });

  it('delivers a scheduled message', async () => {
    const { id } = await createContact(acme);
    const scheduled_at = new Date(Date.now() + 1000).toISOString();
    await untilStatus(acme, (await send(acme, { contact_id: id, scheduled_at })).id, 'sent');
  });
});
