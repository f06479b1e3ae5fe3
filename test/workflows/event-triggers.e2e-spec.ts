import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { describeSlow, itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, getRun, postWebhook, type RunShape } from './support/workflow-client.js';

const on = (event: string, more: object = {}) => ({ trigger: { type: 'event', event, ...more } });
const look = { id: 'look', tool: 'get_contact', arguments: { contact_id: '{{ contact.id }}' } };
const missing = { id: 'miss', tool: 'get_contact', arguments: { contact_id: 'con_unknown' } };

describe('a workflow that waits for an event', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let counter = 0;

  beforeAll(async () => {
    switchboard = await startSwitchboard();
  });
  afterAll(() => switchboard.close());
  // Each test has its own organization. Otherwise its events would start the workflows of other tests.
  const fresh = async () => {
    acme = await createOrganization(switchboard);
  };

  const create = async (fields: object = {}) => {
    counter += 1;
    const { value, error } = await acme.call<{ contact: { id: string; tags: string[] } }>(
      'create_contact',
      { email: `event${counter}@example.com`, ...fields },
    );
    if (error) throw new Error(error.message);
    return value.contact;
  };
  const update = (id: string, fields: object) =>
    acme.call('update_contact', { contact_id: id, ...fields });
  const runsOf = async (workflowId: string): Promise<RunShape[]> => {
    const rows = await switchboard.ownerQuery<{ id: string }>(
      'select id from workflow_runs where workflow_id = $1 order by created_at, depth, id',
      [workflowId],
    );
    return await Promise.all(rows.map(({ id }) => getRun(acme, id)));
  };
  const ended = (workflowId: string, count: number): Promise<RunShape[]> =>
    waitFor(async () => {
      const runs = await runsOf(workflowId);
      return runs.length >= count && runs.every((run) => run.finished_at) ? runs : undefined;
    });

  it('starts when a contact is created, and gets this contact in its payload', async () => {
    await fresh();
    const workflow = await createWorkflow(acme, [look], on('contact.created'));
    expect(workflow).toMatchObject({
      trigger: { type: 'event', event: 'contact.created' },
      webhook_url: null,
    });
    const contact = await create({ first_name: 'Ada' });
    const runs = await ended(workflow.id, 1);
    expect(runs).toMatchObject([
      {
        status: 'succeeded',
        contact_id: contact.id,
        trigger: { type: 'event', payload: { event: 'contact.created', contact } },
      },
    ]);
    await acme.call('create_contact', { email: `event${counter}@example.com` });
    expect(await runsOf(workflow.id)).toHaveLength(1);
  });

  it('starts when a contact changes, and not when an update changes nothing', async () => {
    await fresh();
    const workflow = await createWorkflow(acme, [look], on('contact.updated'));
    const contact = await create({ first_name: 'Ada', tags: ['vip'] });
    await update(contact.id, { first_name: 'Ada', tags: ['vip'] });
    expect(await runsOf(workflow.id)).toEqual([]);
    await update(contact.id, { first_name: 'Grace', properties: { plan: 'pro' } });
    await acme.call('create_contact', {
      email: `event${counter}@example.com`,
      last_name: 'Hopper',
      on_conflict: 'update',
    });
    const runs = await ended(workflow.id, 2);
    expect(runs.map(({ trigger }) => trigger.payload)).toMatchObject([
      { changed: ['first_name', 'properties'], contact: { first_name: 'Grace' } },
      { changed: ['last_name'], contact: { last_name: 'Hopper' } },
    ]);
  });

  it('starts when a contact gets tags, with the new tags', async () => {
    await fresh();
    const workflow = await createWorkflow(acme, [], on('contact.tagged'));
    const contact = await create({ tags: ['new'] });
    await update(contact.id, { tags: ['new', 'vip', 'north'] });
    await update(contact.id, { tags: ['vip'] });
    const runs = await ended(workflow.id, 2);
    expect(runs.map(({ trigger }) => trigger.payload)).toMatchObject([
      { event: 'contact.tagged', tags: ['new'] },
      { event: 'contact.tagged', tags: ['vip', 'north'] },
    ]);
  });

  it('starts when a message was sent or has failed', async () => {
    await fresh();
    const sent = await createWorkflow(acme, [look], on('message.sent'));
    const failed = await createWorkflow(acme, [look], on('message.failed'));
    const contact = await create();
    const send = async (more: object = {}) => {
      const given = { contact_id: contact.id, subject: 'Hello', body: 'Good day.', ...more };
      const { value } = await acme.call<{ message: { id: string } }>('send_message', given);
      return value.message.id;
    };
    const id = await send();
    const doomed = await send({
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    // All attempts but one are used, so the next failure is final.
    await switchboard.ownerQuery(
      'update messages set attempts = 100, due_at = now() where id = $1',
      [doomed],
    );
    expect(await ended(sent.id, 1)).toMatchObject([
      {
        contact_id: contact.id,
        trigger: { payload: { event: 'message.sent', message: { id, status: 'sent' } } },
      },
    ]);
    expect(await ended(failed.id, 1)).toMatchObject([
      { trigger: { payload: { event: 'message.failed', message: { id: doomed } } } },
    ]);
  });

  it('starts when a run fails, with the run and its workflow', async () => {
    await fresh();
    const watch = await createWorkflow(acme, [], on('run.failed'));
    const bad = await createWorkflow(acme, [missing], { name: 'Bad' });
    const { body } = await postWebhook(switchboard, bad.id, {});
    expect(await ended(watch.id, 1)).toMatchObject([
      {
        status: 'succeeded',
        trigger: {
          payload: {
            run: { id: body.runId, workflow_id: bad.id, reason: 'step_failed:miss' },
            workflow: { name: 'Bad' },
            error: {
              step: 'miss',
              code: 'not_found',
              message: expect.stringContaining('contact') as string,
            },
          },
        },
      },
    ]);
  });

  it('does not start for an event of another organization, or when the workflow is inactive, deleted or changed to another trigger', async () => {
    await fresh();
    const stranger = await createOrganization(switchboard);
    const workflows = [
      await createWorkflow(stranger, [], on('contact.created')),
      await createWorkflow(acme, [], { ...on('contact.created'), active: false }),
      await createWorkflow(acme, [], on('contact.created')),
      await createWorkflow(acme, [], on('contact.created')),
    ];
    await acme.call('delete_workflow', { workflow_id: workflows[2]!.id });
    const changed = await acme.call<{ workflow: object }>('update_workflow', {
      workflow_id: workflows[3]!.id,
      trigger: { type: 'event', event: 'contact.updated' },
    });
    expect(changed.value.workflow).toMatchObject({ version: 2 });
    await create();
    const rows = await switchboard.ownerQuery(
      'select from workflow_runs where workflow_id = any ($1)',
      [workflows.map(({ id }) => id)],
    );
    expect(rows).toEqual([]);
    await acme.call('activate_workflow', { workflow_id: workflows[1]!.id });
    await create();
    expect(await runsOf(workflows[1]!.id)).toHaveLength(1);
  });

  it('stores its run in the transaction of the event', async () => {
    await fresh();
    const workflow = await createWorkflow(acme, [], on('contact.created'));
    const contacts = () =>
      switchboard.ownerQuery('select id from contacts where organization_id = $1', [acme.id]);
    // In the three rounds, the write of the run fails, then the write of the contact, and then a later write.
    for (const table of ['workflow_runs', 'contacts', 'audit_log']) {
      // 55P03: a lock was not available in time.
      await switchboard.ownerQuery(`
        create function public.refuse_row() returns trigger language plpgsql
          as $$ begin raise 'refused by the test' using errcode = '55P03'; end $$;
        create trigger refuse_row before insert on ${table}
          for each row execute function public.refuse_row()`);
      try {
        const { status } = await acme.call('create_contact', { email: 'torn@example.com' });
        expect(status).toBe(503);
      } finally {
        await switchboard.ownerQuery('drop function public.refuse_row() cascade');
      }
      expect(await contacts()).toEqual([]);
      expect(await runsOf(workflow.id)).toEqual([]);
    }
    await create();
    expect(await contacts()).toHaveLength(1);
    expect(await runsOf(workflow.id)).toHaveLength(1);
  });

  it('does not start in a dry run, which reports the run that a real call would start', async () => {
    await fresh();
    const workflow = await createWorkflow(acme, [], on('contact.created'));
    const response = await acme.fetch('/api/tools/create_contact', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'dry@example.com', dry_run: true }),
    });
    expect(response.status).toBe(200);
    const { effects } = (await response.json()) as { effects: object[] };
    expect(effects).toContainEqual(
      expect.objectContaining({ action: 'create', table: 'workflow_runs' }),
    );
    expect(await runsOf(workflow.id)).toEqual([]);
  });

  itSlow('stops when it starts itself in a loop', async () => {
    await fresh();
    const steps = [
      {
        id: 'again',
        tool: 'update_contact',
        arguments: { contact_id: '{{ contact.id }}', properties: { last: '{{ run.id }}' } },
      },
    ];
    const workflow = await createWorkflow(acme, steps, on('contact.updated'));
    const contact = await create();
    await update(contact.id, { first_name: 'Ada' });
    const runs = await ended(workflow.id, 10);
    expect(runs).toHaveLength(10);
    const cut = runs.filter(({ status }) => status === 'failed');
    expect(cut).toMatchObject([{ reason: 'loop', started_at: null, steps: [] }]);
    const depths = await switchboard.ownerQuery<{ depth: number }>(
      'select depth from workflow_runs where workflow_id = $1 order by depth',
      [workflow.id],
    );
    expect(depths.map(({ depth }) => depth)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  itSlow('stops when its own failures trigger it', async () => {
    await fresh();
    const workflow = await createWorkflow(acme, [missing], on('run.failed'));
    const bad = await createWorkflow(acme, [missing]);
    await postWebhook(switchboard, bad.id, {});
    const reasons = (await ended(workflow.id, 9)).map(({ reason }) => reason);
    expect(reasons).toHaveLength(9);
    expect(reasons.filter((reason) => reason === 'loop')).toHaveLength(1);
  });

  itSlow('stops when workflows start each other by messages', async () => {
    await fresh();
    const steps = [
      {
        id: 'answer',
        tool: 'send_message',
        arguments: { contact_id: '{{ contact.id }}', subject: 'Again', body: 'And again.' },
      },
    ];
    const workflow = await createWorkflow(acme, steps, on('message.sent'));
    const contact = await create();
    await acme.call('send_message', { contact_id: contact.id, subject: 'One', body: 'Begin.' });
    const runs = await ended(workflow.id, 10);
    expect(runs.filter(({ reason }) => reason === 'loop')).toHaveLength(1);
    expect(runs).toHaveLength(10);
  });

  it('starts only when its condition is true', async () => {
    await fresh();
    const condition = "trigger.payload.contact.properties.plan == 'pro' and contact.first_name";
    const workflow = await createWorkflow(acme, [], on('contact.created', { if: condition }));
    expect(workflow.trigger).toMatchObject({ if: condition });
    await create({ properties: { plan: 'free' }, first_name: 'Ada' });
    await create({ properties: { plan: 'pro' } });
    const contact = await create({ properties: { plan: 'pro' }, first_name: 'Grace' });
    expect(await ended(workflow.id, 1)).toMatchObject([{ contact_id: contact.id }]);
  });
});

describeSlow('the condition of a trigger', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  beforeAll(async () => {
    switchboard = await startSwitchboard();
    acme = await createOrganization(switchboard);
  });
  afterAll(() => switchboard.close());

  it('answers a webhook with skipped, without a run, when the condition is false', async () => {
    const workflow = await createWorkflow(acme, [], {
      trigger: { type: 'webhook', if: 'trigger.payload.amount > 100' },
    });
    const key = { 'Idempotency-Key': 'one' };
    expect(await postWebhook(switchboard, workflow.id, { amount: 7 }, key)).toMatchObject({
      status: 202,
      body: { ok: true, skipped: true },
    });
    const { status, body } = await postWebhook(switchboard, workflow.id, { amount: 700 }, key);
    expect(status).toBe(202);
    expect(body).toEqual({ ok: true, runId: expect.any(String) as string });
    const rows = await switchboard.ownerQuery('select from workflow_runs where workflow_id = $1', [
      workflow.id,
    ]);
    expect(rows).toHaveLength(1);
  });

  it('stores a failed run that can be retried, when the condition cannot be evaluated', async () => {
    const workflow = await createWorkflow(acme, [], {
      trigger: { type: 'webhook', if: 'trigger.payload.a | join: trigger.payload.b | size' },
    });
    const payload = { a: Array.from({ length: 5000 }, () => 'x'), b: 'y'.repeat(2000) };
    const { body } = await postWebhook(switchboard, workflow.id, payload);
    expect(await getRun(acme, body.runId)).toMatchObject({
      status: 'failed',
      reason: 'filter_failed',
      steps: [],
    });
    expect((await acme.call('retry_run', { run_id: body.runId })).status).toBe(200);
    await waitFor(async () =>
      (await getRun(acme, body.runId)).status === 'succeeded' ? true : undefined,
    );
  });
});
