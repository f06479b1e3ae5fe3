import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import {
  createWorkflow,
  endWaits,
  getRun,
  postWebhook,
  type RunShape,
  runToEnd,
  runUntil,
  sign,
} from './support/workflow-client.js';

const SECRET = 'the secret of the sender';
const SEEN = {
  id: 'seen',
  tool: 'probe_echo',
  arguments: {
    value: {
      headers: '{{ trigger.headers }}',
      event: '{{ trigger.headers.x-github-event }}',
      query: '{{ trigger.query }}',
      method: '{{ trigger.method }}',
      at: '{{ trigger.received_at }}',
    },
  },
};
const PAYLOAD_ONLY = {
  id: 'seen',
  tool: 'probe_echo',
  arguments: { value: { name: '{{ trigger.payload.name }}' } },
};

interface Seen {
  headers: Record<string, string>;
  event: string | null;
  query: Record<string, unknown>;
  method: string | null;
  at: string;
}

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const create = (steps: object[], trigger: object = {}) =>
  createWorkflow(acme, steps, { trigger: { type: 'webhook', ...trigger } });
const send = async (id: string, query: string, headers: Record<string, string> = {}) =>
  await postWebhook(switchboard, `${id}${query}`, { name: 'Ada' }, headers);
const seenBy = (run: RunShape) => run.steps.at(-1)!.output!.value as Seen;
const storedFor = async (runId: string) => {
  const [row] = await switchboard.ownerQuery<{ request: Seen | null }>(
    'select request from workflow_runs where id = $1',
    [runId],
  );
  return row!.request;
};
const runOf = async (id: string, query = '', headers: Record<string, string> = {}) => {
  const { status, body } = await send(id, query, headers);
  expect(status).toBe(202);
  return await runUntil(acme, body.runId, 'succeeded', 'failed');
};

describe('the request of a webhook in expressions', () => {
  it('has the method, the query, the time, and the headers that the trigger names', async () => {
    const { id, trigger } = await create([SEEN], { headers: ['X-GitHub-Event', 'link'] });
    expect(trigger).toMatchObject({ headers: ['x-github-event', 'link'] });
    const run = await runOf(id, '?a=1&b=x%20y&b=z', {
      'x-github-event': 'push',
      'x-other': 'hidden',
      'x-request-id': 'req-1',
      authorization: 'Bearer hidden',
      cookie: 'hidden=1',
    });
    const seen = seenBy(run);
    expect(seen).toMatchObject({
      event: 'push',
      query: { a: '1', b: ['x y', 'z'] },
      method: 'POST',
    });
    expect(seen.headers).toEqual({
      'content-type': 'application/json',
      'user-agent': 'node',
      'x-request-id': 'req-1',
      'x-github-event': 'push',
    });
    expect(Date.parse(seen.at)).not.toBeNaN();
    const { at, headers, method, query } = seen;
    expect(run.trigger).toEqual({
      type: 'webhook',
      payload: { name: 'Ada' },
      headers,
      query,
      method,
      received_at: at,
    });
    expect(JSON.stringify(await storedFor(run.id))).not.toContain('hidden');
  });

  it('has the query of a GET both as query and as payload', async () => {
    const { id } = await create([SEEN], { accept: ['get'] });
    const url = `${switchboard.url}/api/webhooks/workflow/${id}?a=1&a=2`;
    const { runId } = (await (await fetch(url)).json()) as { runId: string };
    const run = await runUntil(acme, runId, 'succeeded');
    expect(seenBy(run)).toMatchObject({ query: { a: ['1', '2'] }, method: 'GET' });
    expect(run.trigger.payload).toEqual({ a: ['1', '2'] });
  });

  it('is not stored for a workflow that reads only the payload', async () => {
    const { id } = await create([PAYLOAD_ONLY], { headers: ['x-a'] });
    const run = await runOf(id, '?a=1', { 'x-a': '1' });
    expect(await storedFor(run.id)).toBeNull();
  });

  it('is stored only while the current version of the workflow reads it', async () => {
    const { id } = await create([PAYLOAD_ONLY]);
    await runOf(id, '?a=1');
    await acme.call('update_workflow', { workflow_id: id, steps: [SEEN] });
    expect(seenBy(await runOf(id, '?a=2')).query).toEqual({ a: '2' });
    await acme.call('update_workflow', { workflow_id: id, name: 'Other' });
    expect(seenBy(await runOf(id, '?a=3')).query).toEqual({ a: '3' });
    await acme.call('update_workflow', { workflow_id: id, steps: [PAYLOAD_ONLY] });
    expect(await storedFor((await runOf(id, '?a=4')).id)).toBeNull();
  });

  it('stays the same in a retry and in a replay', async () => {
    const failing = { id: 'bad', if: 'trigger.query.fail', stop: 'failed' };
    const pause = { id: 'pause', wait: { hours: 1 } };
    const { id } = await create([pause, failing, SEEN], { headers: ['x-a'] });
    const { body } = await send(id, '?fail=yes', { 'x-a': 'first' });
    await runUntil(acme, body.runId, 'waiting');
    await endWaits(switchboard, body.runId);
    await runUntil(acme, body.runId, 'failed');
    await acme.call('update_workflow', { workflow_id: id, steps: [SEEN] });
    await acme.call('retry_run', { run_id: body.runId, version: 'latest' });
    const first = seenBy(await runUntil(acme, body.runId, 'succeeded'));
    expect(first).toMatchObject({ headers: { 'x-a': 'first' }, query: { fail: 'yes' } });
    for (const more of [{}, { payload: { name: 'Eve' } }]) {
      const { value } = await acme.call<{ run: RunShape }>('replay_run', {
        run_id: body.runId,
        ...more,
      });
      expect(seenBy(await runUntil(acme, value.run.id, 'succeeded'))).toEqual(first);
    }
  });

  it('can be read by the condition of the trigger and by the key of a limit', async () => {
    const { id } = await create([PAYLOAD_ONLY], {
      headers: ['x-event'],
      if: "trigger.headers.x-event == 'push'",
    });
    expect((await send(id, '', { 'x-event': 'ping' })).body).toEqual({ ok: true, skipped: true });
    const run = await runOf(id, '', { 'x-event': 'push' });
    expect(run.status).toBe('succeeded');
    const limited = await create([PAYLOAD_ONLY], {
      limits: { concurrency: { runs_per_key: 1, key: '{{ trigger.query.shop }}' } },
    });
    const { id: runId } = await runOf(limited.id, '?shop=berlin');
    const [row] = await switchboard.ownerQuery<{ slot_key: string }>(
      'select slot_key from workflow_runs where id = $1',
      [runId],
    );
    expect(row!.slot_key).toBe('berlin');
  });

  it('is empty for a run that a person starts, also in a dry run', async () => {
    const { id } = await create([SEEN]);
    const dry = await fetch(`${switchboard.url}/api/tools/trigger_workflow`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Cookie: acme.cookie,
        Origin: switchboard.url,
      },
      body: JSON.stringify({ workflow_id: id, payload: {}, dry_run: true }),
    });
    expect(dry.status).toBe(200);
    const run = await runToEnd(acme, id, {});
    expect(seenBy(run)).toEqual({
      headers: {},
      event: null,
      query: {},
      method: null,
      at: run.created_at,
    });
  });

  it('does not change which bytes are signed', async () => {
    const { id } = await create([SEEN], { secret: SECRET });
    const body = JSON.stringify({ name: 'Ada' });
    const signature = { 'x-webhook-signature': sign(body, SECRET) };
    expect((await send(id, '?a=1')).status).toBe(401);
    const seen = seenBy(await runOf(id, '?a=1', signature));
    expect(seen.query).toEqual({ a: '1' });
    expect(JSON.stringify(seen.headers)).not.toContain(signature['x-webhook-signature']);
    const secret = 'another secret of the sender';
    await acme.call('rotate_webhook_secret', { workflow_id: id, secret, overlap_seconds: 0 });
    const rotated = await runOf(id, '?a=2', { 'x-webhook-signature': sign(body, secret) });
    expect(seenBy(rotated).query).toEqual({ a: '2' });
  });

  it('refuses a query that is too large, but only for workflows that read the query', async () => {
    const query = `?a=${'x'.repeat(8200)}`;
    const { status, body } = await send((await create([SEEN])).id, query);
    expect(status).toBe(400);
    expect(body.error.code).toBe('too_complex');
    await runOf((await create([PAYLOAD_ONLY])).id, query);
  });

  it('is refused when a definition reads a member of `trigger` that can never exist', async () => {
    const { error } = await acme.call('create_workflow', {
      name: 'Wrong',
      trigger: { type: 'webhook', headers: ['cookie'] },
      steps: [{ ...SEEN, arguments: { value: { a: '{{ trigger.header.x }}' } } }],
    });
    expect(error).toMatchObject({
      details: [{ path: 'trigger.headers[0]' }, { path: 'steps[0].arguments.value.a' }],
    });
    expect(JSON.stringify(error)).toContain('Did you mean headers?');
  });

  it('keeps the list of headers when the trigger changes, and removes it when headers is null', async () => {
    const { id } = await create([SEEN], { headers: ['x-a'] });
    const update = (trigger: object) =>
      acme.call<{ workflow: { trigger: object } }>('update_workflow', {
        workflow_id: id,
        trigger: { type: 'webhook', ...trigger },
      });
    expect((await update({})).value.workflow.trigger).toMatchObject({ headers: ['x-a'] });
    expect((await update({ headers: null })).value.workflow.trigger).toEqual({ type: 'webhook' });
    expect((await getRun(acme, (await runOf(id, '', { 'x-a': '1' })).id)).status).toBe('succeeded');
  });
});
