import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { postJson } from '../support/post-json.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, getRun, type RunShape, trigger } from './support/workflow-client.js';

const on = (event: string, more: object = {}) => ({ trigger: { type: 'event', event, ...more } });
const emit = (event: string, more: object = {}) => ({
  id: 'emit',
  tool: 'emit_event',
  arguments: { event, ...more },
});

interface Listed {
  events: { id: string; name: string }[];
  next_cursor: string | null;
}

describe('events of an organization', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  const runsOf = async (workflowId: string, by = acme): Promise<RunShape[]> => {
    const rows = await switchboard.ownerQuery<{ id: string }>(
      'select id from workflow_runs where workflow_id = $1 order by depth, created_at, id',
      [workflowId],
    );
    return await Promise.all(rows.map(({ id }) => getRun(by, id)));
  };
  const ended = (workflowId: string, count: number, by = acme): Promise<RunShape[]> =>
    waitFor(async () => {
      const runs = await runsOf(workflowId, by);
      return runs.length >= count && runs.every((run) => run.finished_at) ? runs : undefined;
    });
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    postJson(`${switchboard.url}/api/events`, body, {
      Authorization: `Bearer ${acme.key}`,
      ...headers,
    });

  it('start workflows whose trigger names the event and has a true condition, and the runs get the data and the contact', async () => {
    const { value } = await acme.call<{ contact: { id: string } }>('create_contact', {
      email: 'event@example.com',
    });
    const contactId = value.contact.id;
    const condition = { if: "trigger.payload.data.plan == 'pro'" };
    const workflow = await createWorkflow(acme, [], on('custom.order.paid', condition));
    const other = await createWorkflow(acme, [], on('custom.order.sent'));
    const free = { event: 'custom.order.paid', data: { plan: 'free' } };
    expect((await acme.call('emit_event', free)).error).toBeUndefined();
    const pro = { event: 'custom.order.paid', data: { plan: 'pro' }, email: 'Event@example.com' };
    const answer = await acme.call<{ event_id: string }>('emit_event', pro);
    expect(answer.value.event_id).toMatch(/^evt_/);
    expect(await ended(workflow.id, 1)).toMatchObject([
      {
        contact_id: contactId,
        trigger: {
          type: 'event',
          payload: { event: 'custom.order.paid', data: { plan: 'pro' }, contact_id: contactId },
        },
      },
    ]);
    expect(await runsOf(other.id)).toEqual([]);
  });

  it('end the waits that name the event and have a true condition', async () => {
    const workflow = await createWorkflow(acme, [
      {
        id: 'paid',
        wait_for_event: {
          event: 'custom.invoice.paid',
          if: 'event.data.number == trigger.payload.number',
          timeout: { days: 1 },
        },
      },
    ]);
    const runId = await trigger(acme, workflow.id, { number: 7 });
    await waitFor(async () => (await getRun(acme, runId)).status === 'waiting');
    for (const number of [6, 7]) {
      await acme.call('emit_event', { event: 'custom.invoice.paid', data: { number } });
    }
    const [run] = await ended(workflow.id, 1);
    expect(run!.steps[0]!.output).toMatchObject({
      event: { event: 'custom.invoice.paid', data: { number: 7 } },
      timed_out: false,
    });
  });

  it('are listed, newest first, with their data, their cause and the runs that they started or continued', async () => {
    const globex = await createOrganization(switchboard);
    const list = async (given: object = {}) =>
      (await globex.call<Listed>('list_custom_events', given)).value;
    expect(await list()).toEqual({ events: [], next_cursor: null });
    const started = await createWorkflow(globex, [], on('custom.listed.a'));
    await createWorkflow(globex, [], on('custom.listed.a', { if: 'trigger.payload.data.never' }));
    const wait = { event: 'custom.listed.b', timeout: { days: 1 } };
    const waiting = await createWorkflow(globex, [{ id: 'wait', wait_for_event: wait }]);
    const runId = await trigger(globex, waiting.id);
    await waitFor(async () => (await getRun(globex, runId)).status === 'waiting');
    const emitting = await createWorkflow(globex, [emit('custom.listed.b')]);
    const large = { text: 'x'.repeat(1000) };
    await globex.call('emit_event', { event: 'custom.listed.a', data: large });
    await ended(started.id, 1, globex);
    const emitter = await trigger(globex, emitting.id);
    await ended(waiting.id, 1, globex);
    const { events } = await list();
    expect(events).toMatchObject([
      {
        name: 'custom.listed.b',
        run_id: emitter,
        contact_id: null,
        data_bytes: 2,
        data_preview: '{}',
        started_runs: 0,
        continued_runs: 1,
      },
      {
        name: 'custom.listed.a',
        run_id: null,
        data_bytes: 1011,
        data_preview: JSON.stringify(large).slice(0, 500),
        started_runs: 1,
        continued_runs: 0,
      },
    ]);
    const first = await list({ limit: 1 });
    expect(first.events).toEqual(events.slice(0, 1));
    expect(await list({ limit: 1, cursor: first.next_cursor })).toEqual({
      events: events.slice(1),
      next_cursor: null,
    });
    expect((await list({ name: 'custom.listed.a' })).events).toEqual(events.slice(1));
    expect((await list({ name: 'custom.listed.*' })).events).toEqual(events);
    expect((await list({ name: 'custom.list' })).events).toEqual([]);
  });

  it('are not listed when the transaction that emits them fails', async () => {
    const globex = await createOrganization(switchboard);
    const given = { event: 'custom.dry', email: 'nobody@example.com' };
    await globex.call('emit_event', given);
    const { value } = await globex.call<Listed>('list_custom_events');
    expect(value.events).toEqual([]);
  });

  itSlow(
    'are deleted after 30 days, and when an organization has 10,000 newer events',
    async () => {
      const globex = await createOrganization(switchboard);
      await globex.call('emit_event', { event: 'custom.first' });
      await globex.call('emit_event', { event: 'custom.second' });
      const names = async () => {
        await switchboard.ownerQuery('select gate.purge_custom_events(30, 20000)');
        const { value } = await globex.call<Listed>('list_custom_events', { name: 'custom.*' });
        return value.events.map(({ name }) => name);
      };
      const insert = (count: number) =>
        switchboard.ownerQuery(
          `insert into custom_events (organization_id, id, name, emitted_at, data_bytes, data_preview, started_runs)
         select organization_id, 'evt_' || $1 || '_' || n, 'other', emitted_at + interval '1 hour', 2, '{}', 0
         from custom_events, generate_series(1, $1::integer) n where name = 'custom.second'`,
          [count],
        );
      await insert(9998);
      expect(await names()).toEqual(['custom.second', 'custom.first']);
      await insert(1);
      expect(await names()).toEqual(['custom.second']);
      await switchboard.ownerQuery(
        `update custom_events set emitted_at = now() - interval '31 days' where name = 'custom.second'`,
      );
      expect(await names()).toEqual([]);
    },
  );

  it('are emitted by HTTP requests, once for each idempotency key, and keep all digits of large numbers', async () => {
    const workflow = await createWorkflow(acme, [], on('custom.posted'));
    const raw = '{"event":"custom.posted","data":{"id":12345678901234567890}}';
    const first = await post(raw, { 'Idempotency-Key': 'a' });
    expect(first.status).toBe(202);
    const { event_id: id } = (await first.json()) as { event_id: string };
    const again = await post(raw, { 'Idempotency-Key': 'a' });
    expect(await again.json()).toEqual({ event_id: id });
    expect(await ended(workflow.id, 1)).toMatchObject([
      { trigger: { payload: { data: { id: '12345678901234567890' } } } },
    ]);
    const changed = await post({ event: 'custom.posted' }, { 'Idempotency-Key': 'a' });
    expect(changed.status).toBe(422);
  });

  it('are refused from callers without a key that may emit them', async () => {
    const event = { event: 'custom.posted' };
    const url = `${switchboard.url}/api/events`;
    expect((await postJson(url, event)).status).toBe(401);
    expect((await postJson(url, event, { Cookie: acme.cookie })).status).toBe(401);
    const others = await createOrganization(switchboard);
    const created = await others.fetch('/api/mcp/keys', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ read_only: true }),
    });
    const { api_key: key } = (await created.json()) as { api_key: string };
    const refused = await postJson(url, event, { Authorization: `Bearer ${key}` });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ code: 'forbidden' });
  });

  it('are refused with an invalid name, for an unknown contact, and with a payload that is too large for a run', async () => {
    const refusal = async (given: object) => (await acme.call('emit_event', given)).error;
    for (const event of [
      'contact.created',
      'order.paid',
      'custom',
      'custom.',
      'custom.A',
      'custom..a',
    ]) {
      expect(await refusal({ event }), event).toMatchObject({ details: [{ path: 'event' }] });
    }
    expect(await refusal({ event: `custom.${'a'.repeat(100)}` })).toMatchObject({
      details: [{ path: 'event' }],
    });
    const unknown = { event: 'custom.a', email: 'nobody@example.com' };
    expect(await refusal(unknown)).toMatchObject({ code: 'not_found' });
    const large = { event: 'custom.a', data: { text: 'x'.repeat(1024 * 1024) } };
    expect((await post(large)).status).toBe(413);
    const steps = [
      {
        id: 'emit',
        tool: 'emit_event',
        arguments: {
          event: 'custom.a',
          data: { a: '{{ trigger.payload.text }}', b: '{{ trigger.payload.text }}' },
        },
      },
    ];
    const workflow = await createWorkflow(acme, steps);
    await trigger(acme, workflow.id, { text: 'x'.repeat(900_000) });
    expect(await ended(workflow.id, 1)).toMatchObject([{ status: 'failed' }]);
  });

  it.each([
    ['trigger', 'order.paid', 'or a custom event, such as custom.order_paid'],
    ['trigger', 'custom.Order', 'must be "custom." and then a-z'],
    ['wait', 'order.paid', 'or a custom event'],
  ])('are refused in a %s when their name is %s', async (where, event, message) => {
    const wait = { id: 'a', wait_for_event: { event, timeout: { days: 1 } } };
    const { error } = await acme.call('create_workflow', {
      name: 'Test',
      ...(where === 'trigger' ? on(event) : { trigger: { type: 'manual' } }),
      steps: where === 'trigger' ? [] : [wait],
    });
    expect(error?.message).toContain(message);
  });

  itSlow('stop when a workflow emits the event that starts this workflow', async () => {
    const loop = emit('custom.loop', { data: { last: '{{ run.id }}' } });
    const workflow = await createWorkflow(acme, [loop], on('custom.loop'));
    await acme.call('emit_event', { event: 'custom.loop' });
    const runs = await ended(workflow.id, 10);
    expect(runs).toHaveLength(10);
    expect(runs.at(-1)).toMatchObject({ status: 'failed', reason: 'loop', steps: [] });
  });
});
