import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { LiquidSandbox } from '../../src/liquid/liquid-sandbox.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow, sample } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { ProbeEffectTools, ProbeTools } from './support/probe.tools.js';
import {
  createWorkflow,
  getRun,
  type RunShape,
  runUntil,
  trigger,
} from './support/workflow-client.js';

const waitOf = (event: string, more: object = {}) => ({
  id: 'wait',
  wait_for_event: { event, timeout: { days: 3 }, ...more },
});

describe('a step that waits for an event', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let counter = 0;

  beforeAll(async () => {
    switchboard = await startSwitchboard({ providers: [ProbeTools, ProbeEffectTools] });
  });
  // Each test has its own organization, because events of one test would end waits of another test.
  beforeEach(async () => {
    acme = await createOrganization(switchboard);
  });
  afterAll(() => switchboard.close());

  const create = async (organization = acme) => {
    counter += 1;
    const { value, error } = await organization.call<{ contact: { id: string } }>(
      'create_contact',
      { email: `wait${counter}@example.com` },
    );
    if (error) throw new Error(error.message);
    return value.contact.id;
  };
  const update = async (id: string, fields: object = { first_name: `Name ${(counter += 1)}` }) => {
    const { error } = await acme.call('update_contact', { contact_id: id, ...fields });
    if (error) throw new Error(error.message);
  };
  const send = async (contactId: string, more: object = {}) => {
    const given = { contact_id: contactId, subject: 'Hello', body: 'Good day.', ...more };
    const { value } = await acme.call<{ message: { id: string } }>('send_message', given);
    return value.message.id;
  };
  const start = async (steps: object[], contactId?: string, payload: object = {}) => {
    const workflow = await createWorkflow(acme, steps, { trigger: { type: 'manual' } });
    const { value, error } = await acme.call<{ run_id: string }>('trigger_workflow', {
      workflow_id: workflow.id,
      payload,
      contact_id: contactId,
    });
    if (error) throw new Error(error.message);
    return value.run_id;
  };
  const waiting = async (steps: object[], contactId?: string, payload: object = {}) => {
    const runId = await start(steps, contactId, payload);
    await runUntil(acme, runId, 'waiting');
    return runId;
  };
  const ended = (runId: string) => runUntil(acme, runId, 'succeeded', 'failed', 'canceled');
  const outputOf = (run: RunShape, id = 'wait') => run.steps.find((step) => step.id === id)?.output;
  const settled = () =>
    waitFor(async () => {
      const rows = await switchboard.ownerQuery('select from pending_events');
      return rows.length === 0;
    });
  const armed = (runId: string) =>
    switchboard.ownerQuery(`select from run_waits where run_id = $1 and state = 'armed'`, [runId]);
  const left = () =>
    switchboard.ownerQuery('select from run_waits where organization_id = $1', [acme.id]);
  const endTime = async (runId: string) => {
    await switchboard.ownerQuery(`update run_steps set wake_at = now() where run_id = $1`, [runId]);
    await switchboard.ownerQuery(`update workflow_runs set available_at = now() where id = $1`, [
      runId,
    ]);
  };

  it('waits for the first of several events, and shows which event ended the wait', async () => {
    const contactId = await create();
    const step = {
      id: 'wait',
      wait_for_event: {
        events: ['custom.paid', 'contact.updated'],
        if: 'event.event == "contact.updated" or event.data.number == trigger.payload.number',
        timeout: { days: 3 },
      },
    };
    const [paid, updated] = [
      await waiting([step], undefined, { number: 7 }),
      await waiting([step], contactId, { number: 8 }),
    ];
    expect(outputOf(await getRun(acme, paid))).toMatchObject({
      events: ['custom.paid', 'contact.updated'],
    });
    for (const event of ['custom.sent', 'custom.paid']) {
      await acme.call('emit_event', { event, data: { number: 7 } });
    }
    expect(outputOf(await ended(paid))).toMatchObject({
      event: { event: 'custom.paid', data: { number: 7 } },
      timed_out: false,
    });
    await settled();
    expect((await getRun(acme, updated)).status).toBe('waiting');
    await update(contactId);
    expect(outputOf(await ended(updated))).toMatchObject({ event: { event: 'contact.updated' } });
    expect(await left()).toEqual([]);
  });

  it.each(
    sample(
      [
        ['contact.created', () => create()],
        ['contact.updated', async () => update(await create())],
        ['contact.tagged', async () => update(await create(), { tags: ['vip'] })],
        ['message.sent', async () => send(await create())],
        [
          'message.failed',
          async () => {
            const later = new Date(Date.now() + 3_600_000).toISOString();
            const id = await send(await create(), { scheduled_at: later });
            await switchboard.ownerQuery(
              'update messages set attempts = 100, due_at = now() where id = $1',
              [id],
            );
          },
        ],
        [
          'run.failed',
          async () => {
            const miss = {
              id: 'miss',
              tool: 'get_contact',
              arguments: { contact_id: 'con_unknown' },
            };
            await start([miss]);
          },
        ],
      ],
      3,
    ),
  )('continues at %s, with the event', async (event, happen) => {
    const runId = await waiting([
      waitOf(event),
      { id: 'echo', tool: 'probe_echo', arguments: { value: { of: '{{ wait.event.event }}' } } },
    ]);
    const before = await getRun(acme, runId);
    expect(before.reason).toBe('event');
    expect(before.steps).toMatchObject([
      { id: 'wait', tool: null, status: 'waiting', output: { event, until: expect.any(String) } },
    ]);
    await happen();
    const run = await ended(runId);
    expect(run.status).toBe('succeeded');
    expect(outputOf(run)).toMatchObject({ event: { event }, timed_out: false });
    expect(outputOf(run, 'echo')).toEqual({ value: { of: event } });
    expect(await left()).toEqual([]);
  });

  it('continues without the event after the timeout, and later events change nothing', async () => {
    const runId = await start([
      waitOf('contact.created', { timeout: { seconds: 1 } }),
      {
        id: 'late',
        if: 'wait.timed_out',
        tool: 'probe_echo',
        arguments: { value: { event: '{{ wait.event }}' } },
      },
    ]);
    const run = await ended(runId);
    expect(outputOf(run)).toEqual({ event: null, timed_out: true });
    expect(outputOf(run, 'late')).toEqual({ value: { event: null } });
    await create();
    await settled();
    expect(await getRun(acme, runId)).toEqual(run);
  });

  it('waits for events about the contact of its run, unless any_contact is true', async () => {
    const [ada, bob] = [await create(), await create()];
    const own = await waiting([waitOf('contact.updated')], ada);
    const any = await waiting([waitOf('contact.updated', { any_contact: true })], ada);
    const nobody = await waiting([waitOf('contact.updated')]);
    await update(bob);
    await ended(any);
    await ended(nobody);
    await settled();
    expect((await getRun(acme, own)).status).toBe('waiting');
    await update(ada);
    expect(outputOf(await ended(own))).toMatchObject({ event: { contact: { id: ada } } });
  });

  it('does not end for a run with a contact at an event without a contact, except a custom event', async () => {
    const ada = await create();
    const failed = await waiting([waitOf('run.failed')], ada);
    const nobody = await waiting([waitOf('run.failed')]);
    const any = await waiting([waitOf('run.failed', { any_contact: true })], ada);
    const paid = await waiting([waitOf('custom.paid')], ada);
    await start([{ id: 'end', stop: 'failed' }]);
    await ended(nobody);
    await ended(any);
    await acme.call('emit_event', { event: 'custom.paid' });
    await ended(paid);
    await settled();
    expect((await getRun(acme, failed)).status).toBe('waiting');
  });

  it('waits for an event that meets its condition, with the values of the run at its beginning', async () => {
    const ada = await create();
    const runId = await waiting(
      [
        { id: 'look', tool: 'get_contact', arguments: { contact_id: ada } },
        waitOf('contact.updated', {
          if: 'event.contact.last_name == trigger.payload.name and event.contact.id == look.contact.id and event.changed.size == trigger.payload.list.size',
          any_contact: true,
        }),
      ],
      undefined,
      { name: 'Hopper', list: ['one'] },
    );
    await update(ada, { last_name: 'Lovelace' });
    await update(await create(), { last_name: 'Hopper' });
    await update(ada, { last_name: 'Hopper', first_name: 'Grace' });
    await settled();
    expect((await getRun(acme, runId)).status).toBe('waiting');
    await update(ada, { last_name: 'X' });
    await update(ada, { last_name: 'Hopper' });
    expect(outputOf(await ended(runId))).toMatchObject({
      event: { contact: { last_name: 'Hopper' }, changed: ['last_name'] },
    });
  });

  it('parses its condition in the turns of the organization, and only once for all runs of the process', async () => {
    const liquid = switchboard.app.get(LiquidSandbox);
    const condition = 'event.contact.id == trigger.payload.read_once';
    const inTurns = vi.spyOn(liquid, 'readCondition');
    const immediately = vi.spyOn(liquid, 'conditionReading');
    for (let count = 0; count < 2; count += 1) {
      await waiting([waitOf('contact.updated', { if: condition })]);
    }
    expect(inTurns.mock.calls).toEqual([
      [acme.id, condition],
      [acme.id, condition],
    ]);
    // The checks of the two definitions parse the condition once each. The runs together parse it once.
    expect(immediately.mock.calls.filter(([read]) => read === condition)).toHaveLength(3);
    vi.restoreAllMocks();
  });

  itSlow('fails with the reason when its condition cannot be evaluated', async () => {
    const heavy = 'trigger.payload.a | join: trigger.payload.b | size';
    const runId = await waiting(
      [
        { ...waitOf('contact.created', { if: heavy }), on_error: 'continue' },
        { id: 'why', tool: 'probe_echo', arguments: { value: { why: '{{ wait.error.code }}' } } },
      ],
      undefined,
      { a: Array.from({ length: 1500 }, () => 'x'), b: 'y'.repeat(8000) },
    );
    await create();
    const run = await ended(runId);
    expect(run.steps[0]).toMatchObject({ status: 'failed', error: { code: 'invalid_arguments' } });
    expect(outputOf(run, 'why')).toEqual({ value: { why: 'invalid_arguments' } });
  });

  itSlow('begins so early that it receives an event that the previous step causes', async () => {
    const ada = await create();
    const runIds = await Promise.all(
      Array.from({ length: 20 }, () =>
        start(
          [
            {
              id: 'send',
              tool: 'send_message',
              arguments: { contact_id: '{{ contact.id }}', subject: 'Hello', body: 'Good day.' },
            },
            waitOf('message.sent', { if: 'event.message.id == send.message.id' }),
          ],
          ada,
        ),
      ),
    );
    for (const runId of runIds) {
      const run = await ended(runId);
      expect(outputOf(run)).toMatchObject({
        event: {
          message: { id: (outputOf(run, 'send') as { message: { id: string } }).message.id },
        },
        timed_out: false,
      });
    }
  });

  it('waits inside branches and on_error lists, and is skipped when its condition is false', async () => {
    const runId = await waiting([
      { ...waitOf('run.failed'), id: 'never', if: 'false' },
      { id: 'branch', if: 'true', then: [waitOf('contact.created')] },
    ]);
    await create();
    const run = await ended(runId);
    expect(run.steps.map(({ id, status }) => [id, status])).toEqual([
      ['never', 'skipped'],
      ['branch', 'succeeded'],
      ['wait', 'succeeded'],
    ]);
  });

  itSlow('waits while other steps run, in branches and in iterations of loops', async () => {
    const [ada, bob] = [await create(), await create()];
    ProbeTools.hold('beside');
    const runId = await start(
      [
        {
          id: 'both',
          parallel: [
            [
              waitOf('contact.created'),
              {
                id: 'next',
                tool: 'probe_echo',
                arguments: { value: { got: '{{ wait.event.event }}' } },
              },
            ],
            [{ id: 'hold', tool: 'probe_outside', arguments: { name: 'beside' } }],
          ],
        },
        {
          id: 'each',
          for_each: '{{ trigger.payload.ids }}',
          concurrency: 2,
          steps: [
            {
              id: 'change',
              wait_for_event: {
                event: 'contact.updated',
                if: 'event.contact.id == item',
                timeout: { days: 1 },
              },
            },
          ],
        },
      ],
      undefined,
      { ids: [ada, bob] },
    );
    await waitFor(async () => (await armed(runId)).length === 1);
    // The event is delivered while a worker runs the other branch.
    await create();
    await waitFor(async () => outputOf(await getRun(acme, runId), 'next'));
    ProbeTools.open('beside');
    await waitFor(async () => (await armed(runId)).length === 2);
    await update(bob);
    await waitFor(async () => (await armed(runId)).length === 1);
    expect((await getRun(acme, runId)).finished_at).toBeNull();
    await update(ada);
    const run = await ended(runId);
    expect(run.status).toBe('succeeded');
    expect(outputOf(run, 'each[0].change')).toMatchObject({ event: { contact: { id: ada } } });
    expect(outputOf(run, 'each[1].change')).toMatchObject({ event: { contact: { id: bob } } });
  });

  it('ignores events of other organizations', async () => {
    const other = await createOrganization(switchboard);
    const runId = await waiting([waitOf('contact.created')]);
    await create(other);
    await settled();
    expect((await getRun(acme, runId)).status).toBe('waiting');
    // An event is stored only if a workflow can wait for it.
    const held = await switchboard.ownerQuery(
      'select from event_interests where organization_id = $1',
      [other.id],
    );
    expect(held).toEqual([]);
  });

  itSlow('ends when its run is canceled, and continues when the run is retried', async () => {
    const runId = await waiting([waitOf('contact.created')]);
    await acme.call('cancel_run', { run_id: runId });
    await create();
    await settled();
    expect(await getRun(acme, runId)).toMatchObject({
      status: 'canceled',
      steps: [{ id: 'wait', status: 'canceled' }],
    });
    await acme.call('retry_run', { run_id: runId });
    await runUntil(acme, runId, 'waiting', 'queued');
    await create();
    expect(outputOf(await ended(runId))).toMatchObject({ timed_out: false });
  });

  it('does not end with an event about another contact after the contact of the run was deleted', async () => {
    const gone = {
      id: 'gone',
      tool: 'delete_contact',
      arguments: { contact_id: '{{ contact.id }}' },
    };
    const { value } = await acme.call<{ contact: { id: string } }>('create_contact', {
      email: 'gone@example.com',
    });
    const runId = await waiting([gone, waitOf('contact.created')], value.contact.id);
    await acme.call('create_contact', { email: 'other@example.com' });
    await settled();
    expect(await getRun(acme, runId)).toMatchObject({ status: 'waiting', reason: 'event' });
  });

  it('keeps an event that comes in time while no worker runs, and uses it after the timeout', async () => {
    const runId = await waiting([waitOf('contact.created')]);
    // This is the state after a worker has claimed the event and died.
    await switchboard.ownerQuery(
      `update workflow_runs set status = 'running', epoch = epoch + 1, available_at = now() + interval '1 h' where id = $1`,
      [runId],
    );
    await create();
    await settled();
    await endTime(runId);
    const run = await ended(runId);
    expect(outputOf(run)).toMatchObject({ event: { event: 'contact.created' }, timed_out: false });
  });

  itSlow('uses one of several simultaneous events, in each of many runs', async () => {
    const workflow = await createWorkflow(acme, [waitOf('contact.created')], {
      trigger: { type: 'manual' },
    });
    const runIds = await Promise.all(Array.from({ length: 30 }, () => trigger(acme, workflow.id)));
    for (const runId of runIds) await runUntil(acme, runId, 'waiting');
    await Promise.all(Array.from({ length: 5 }, () => create()));
    for (const runId of runIds) expect((await ended(runId)).steps).toHaveLength(1);
    await settled();
    expect(await left()).toEqual([]);
  });

  it.each(
    sample(
      [
        [
          { event: 'contact.create', timeout: { days: 1 } },
          'event',
          /must be one of .*contact\.created/,
        ],
        [{ event: 'contact.created' }, 'timeout', /is required/],
        [
          { events: ['contact.created'], timeout: { days: 1 } },
          'events',
          /2 to 10 different events/,
        ],
        [
          { events: ['custom.a', 'resume'], timeout: { days: 1 } },
          'events[1]',
          /must be one of .*contact\.created/,
        ],
        [
          { event: 'custom.a', events: ['custom.a', 'custom.b'], timeout: { days: 1 } },
          'events',
          /must be absent/,
        ],
        [{ event: 'contact.created', timeout: {} }, 'timeout', /needs exactly one of/],
        [{ event: 'contact.created', timeout: { days: 367 } }, 'timeout.days', /at most 366/],
        [
          { event: 'contact.created', timeout: { days: 1 }, if: 'event.x = 1' },
          'if',
          /not a valid expression/,
        ],
        [
          { event: 'contact.created', timeout: { days: 1 }, if: 'later.x' },
          'if',
          /refers to "later"/,
        ],
        [{ event: 'resume', timeout: { days: 1 }, if: 'event.x' }, 'if', /is not known/],
        [
          { event: 'contact.created', timeout: { days: 1 }, any_contact: 1 },
          'any_contact',
          /true or false/,
        ],
        ['contact.created', undefined, /must be an object/],
      ],
      4,
    ),
  )('is refused at save with the path to its fault: %j', async (wait, member, message) => {
    const { status, error } = await acme.call('create_workflow', {
      name: 'Wrong',
      trigger: { type: 'manual' },
      steps: [{ id: 'wait', wait_for_event: wait }],
    });
    expect(status).toBe(422);
    const path = `steps[0].wait_for_event${member === undefined ? '' : `.${member}`}`;
    expect(error!.details).toContainEqual({ path, message: expect.stringMatching(message) });
  });
});
