import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { ProbeTools } from './support/probe.tools.js';
import { createWorkflow, getRun, runUntil, trigger } from './support/workflow-client.js';

interface Delivery {
  runId: string;
  status: string;
  code: string;
}

let web: Switchboard;
let worker: Switchboard;
let acme: TestOrganization;
// Starts two processes. The process that receives the webhook never executes a step.
beforeAll(async () => {
  web = await startSwitchboard({ providers: [ProbeTools], env: { ROLE: 'web' } });
  worker = await startSwitchboard({
    providers: [ProbeTools],
    env: { ROLE: 'worker' },
    databaseUrl: web.databaseUrl,
  });
  acme = await createOrganization(web);
});
afterAll(async () => {
  await worker.close();
  await web.close();
});

const create = (steps: object[], trigger: object = {}, more: object = {}) =>
  createWorkflow(acme, steps, { trigger: { type: 'webhook', ...trigger }, ...more });
const respond = (answer: object, more: object = {}) => ({ id: 'answer', respond: answer, ...more });
const post = async (id: string, payload: object = {}, headers: Record<string, string> = {}) => {
  const response = await fetch(`${web.url}/api/webhooks/workflow/${id}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(payload),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const lastRun = async (workflowId: string) => {
  const { value } = await acme.call<{ runs: { id: string }[] }>('list_runs', {
    workflow_id: workflowId,
  });
  return value.runs[0]!.id;
};
const held = (name: string) => ({ id: 'held', tool: 'probe_outside', arguments: { name } });
const failing = {
  id: 'bad',
  tool: 'probe_fail',
  arguments: { name: 'w', code: 'conflict' },
};
const sentTo = (headers: Headers) => ({
  policy: headers.get('content-security-policy'),
  sniffing: headers.get('x-content-type-options'),
});
const SAFE = { policy: "sandbox; default-src 'none'", sniffing: 'nosniff' };

describe('a webhook with a respond step', () => {
  it('answers with the status, the headers and the JSON of the step', async () => {
    const { id } = await create([
      respond({
        status: 201,
        headers: { 'X-Run': '{{ run.id }}', 'Retry-After': '{{ trigger.payload.seconds }}' },
        body: { name: '{{ trigger.payload.name }}', all: '{{ trigger.payload.list }}' },
      }),
    ]);
    const answer = await post(id, { name: 'Ada', list: [1, 'x'], seconds: 5 });
    expect(answer.status).toBe(201);
    expect(answer.text).toBe('{"name":"Ada","all":[1,"x"]}');
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('x-run')).toBe(await lastRun(id));
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(sentTo(answer.headers)).toEqual(SAFE);
  });

  it('answers with XML for Twilio, in which a browser runs no scripts', async () => {
    const body = '<Response><Message>Hi {{ trigger.payload.name | escape }}</Message></Response>';
    const { id } = await create([respond({ type: 'xml', body })]);
    const answer = await post(id, { name: '<script>' });
    expect(answer.text).toBe('<Response><Message>Hi &lt;script&gt;</Message></Response>');
    expect(answer.headers.get('content-type')).toBe('application/xml; charset=utf-8');
    expect(sentTo(answer.headers)).toEqual(SAFE);
  });

  itSlow('answers with text, with an empty body, and with a redirect', async () => {
    const text = await create([respond({ type: 'text', body: '<b>{{ trigger.payload.n }}</b>' })]);
    const plain = await post(text.id, { n: 7 });
    expect(plain.text).toBe('<b>7</b>');
    expect(plain.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const empty = await post((await create([respond({ status: 204 })])).id);
    expect([empty.status, empty.text]).toEqual([204, '']);
    expect(empty.headers.get('content-type')).toBeNull();
    const location = 'https://example.com/thanks?name={{ trigger.payload.name | url_encode }}';
    const { id } = await create([respond({ status: 303, headers: { location } })]);
    const redirect = await post(id, { name: 'A&B' });
    expect(redirect.status).toBe(303);
    expect(redirect.headers.get('location')).toBe('https://example.com/thanks?name=A%26B');
  });

  it('answers while the run continues', async () => {
    ProbeTools.hold('after');
    const { id } = await create([respond({ body: { ok: true } }), held('after')]);
    const answer = await post(id);
    expect(answer.text).toBe('{"ok":true}');
    const runId = await lastRun(id);
    expect((await getRun(acme, runId)).finished_at).toBeNull();
    ProbeTools.open('after');
    const run = await runUntil(acme, runId, 'succeeded');
    expect(run.steps[0]).toMatchObject({
      id: 'answer',
      input: { body: { ok: true } },
      output: { answered: true },
    });
  });

  it('gives a duplicate the same answer, and starts no run', async () => {
    const { id } = await create([respond({ status: 202, body: { run: '{{ run.id }}' } })]);
    const key = { 'idempotency-key': 'once' };
    const [first, again] = [await post(id, {}, key), await post(id, {}, key)];
    expect(again.status).toBe(202);
    expect(again.text).toBe(first.text);
    expect(JSON.parse(first.text)).toEqual({ run: await lastRun(id) });
  });

  it('answers with 500 when SQL of a tool has stored an answer that no step can give', async () => {
    const { id } = await create([respond({ body: 1 })]);
    const key = { 'idempotency-key': 'once' };
    await post(id, {}, key);
    const valid = { status: 200, type: 'text', headers: { 'x-own': 'a' }, body: 'ok' };
    const send = async (answer: unknown) => {
      await web.ownerQuery('update workflow_runs set answer = $2 where id = $1', [
        await lastRun(id),
        JSON.stringify(answer),
      ]);
      return await post(id, {}, key);
    };
    expect(await send(valid)).toMatchObject({ status: 200, text: 'ok' });
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`x-${index}`, 'a']));
    const invalid: [string, unknown][] = [
      ['a cookie', { ...valid, headers: { 'Set-Cookie': '__Host-switchboard=a' } }],
      ['a header of proxies', { ...valid, headers: { 'X-Accel-Redirect': '/etc/passwd' } }],
      ['a number as a header', { ...valid, headers: { 'x-own': 7 } }],
      ['a list of headers', { ...valid, headers: ['x-own'] }],
      ['21 headers', { ...valid, headers: many }],
      ['a line break', { ...valid, headers: { 'x-own': 'a\r\nset-cookie: b' } }],
      ['a redirect without its status', { ...valid, headers: { location: 'https://a.example' } }],
      ['an inherited type', { ...valid, type: 'constructor' }],
      ['HTML', { ...valid, type: 'html' }],
      ['the status 101', { ...valid, status: 101 }],
      ['a body with the status 204', { ...valid, status: 204 }],
      ['a list as the body', { ...valid, body: ['a'] }],
      ['a large body', { ...valid, body: 'x'.repeat(256 * 1024 + 1) }],
      ['a text', 'ok'],
    ];
    for (const [what, answer] of invalid) {
      const { status, headers, text } = await send(answer);
      expect(status, what).toBe(500);
      expect(JSON.parse(text), what).toMatchObject({
        ok: false,
        error: { code: 'internal', message: 'The stored answer of the run is invalid.' },
      });
      expect(headers.get('set-cookie'), what).toBeNull();
    }
  });

  it('fails when SQL of a tool has stored a step with a header that answers must not have', async () => {
    const errorOf = async (answer: object) => {
      const { id } = await create([respond({ body: 1 })]);
      await web.ownerQuery('update workflow_versions set steps = $2 where workflow_id = $1', [
        id,
        JSON.stringify([respond(answer)]),
      ]);
      expect((await post(id)).status).toBe(500);
      const run = await runUntil(acme, await lastRun(id), 'failed');
      return run.steps[0]!.error!.message;
    };
    const cookie = { 'Set-Cookie': 'a=b' };
    expect(await errorOf({ headers: cookie })).toContain('Set-Cookie is not a header');
    expect(await errorOf({ type: 'html', body: 'a' })).toContain('type must be one of json');
  });

  itSlow('gives the first answer, when several steps answer', async () => {
    const { id } = await create([
      respond({ body: 1 }),
      { id: 'each', for_each: [2, 3], steps: [{ id: 'more', respond: { body: '{{ item }}' } }] },
    ]);
    expect((await post(id)).text).toBe('1');
    const run = await runUntil(acme, await lastRun(id), 'succeeded');
    const answered = run.steps
      .filter(({ output }) => output && 'answered' in output)
      .map(({ output }) => output!.answered);
    expect(answered).toEqual([true, false, false]);
  });

  it('answers with a respond step in on_failure', async () => {
    const { id } = await create(
      [failing],
      {},
      {
        on_failure: [respond({ status: 503, body: { code: '{{ failure.error.code }}' } })],
      },
    );
    const answer = await post(id);
    expect([answer.status, answer.text]).toEqual([503, '{"code":"conflict"}']);
  });

  it('answers 200 when the run succeeds without an answer, and shows no outputs', async () => {
    const { id } = await create([
      { id: 'said', tool: 'probe_echo', arguments: { value: { secret: 1 } } },
      respond({ body: 1 }, { if: 'trigger.payload.wanted' }),
    ]);
    const answer = await post(id);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toEqual({
      ok: true,
      runId: await lastRun(id),
      status: 'succeeded',
    });
  });

  it('answers 500 with the run id when the run fails without an answer', async () => {
    const steps = [failing, respond({ body: 1 })];
    const { id } = await create(steps);
    const answer = await post(id);
    expect(answer.status).toBe(500);
    expect(JSON.parse(answer.text)).toEqual({
      ok: false,
      runId: await lastRun(id),
      status: 'failed',
      error: { code: 'internal', message: 'The run failed before it answered.' },
    });
    const shown = await post((await create(steps, { wait_seconds: 30 })).id);
    expect(shown.status).toBe(500);
    expect(JSON.parse(shown.text)).toMatchObject({ status: 'failed', error: { code: 'conflict' } });
  });

  itSlow('answers 202 with the run id when the answer takes longer than wait_seconds', async () => {
    ProbeTools.hold('slow');
    const { id } = await create([held('slow'), respond({ body: 1 })], { wait_seconds: 1 });
    const answer = await post(id);
    expect(answer.status).toBe(202);
    const { runId } = JSON.parse(answer.text) as { runId: string };
    expect(JSON.parse(answer.text)).toEqual({ ok: true, runId });
    ProbeTools.open('slow');
    await runUntil(acme, runId, 'succeeded');
    const async = await post(id, {}, { Prefer: 'respond-async' });
    expect(async.status).toBe(202);
  });

  itSlow('fails the step with an explanation when the answer is not valid HTTP', async () => {
    const cases: [object, object, RegExp][] = [
      [{ body: '{{ trigger.payload.long }}' }, { long: 'x'.repeat(262_144) }, /has 262146 bytes/],
      [
        { headers: { 'x-a': '{{ trigger.payload.a }}' } },
        { a: 'a\r\nset-cookie: b' },
        /line breaks/,
      ],
      [{ status: '{{ trigger.payload.status }}' }, { status: 99 }, /200 to 599/],
      [{ status: '{{ trigger.payload.status }}', body: 1 }, { status: '204' }, /must be absent/],
      [
        { status: 302, headers: { location: '{{ trigger.payload.to }}' } },
        { to: 'javascript:alert(1)' },
        /begins with https/,
      ],
    ];
    for (const [answer, payload, message] of cases) {
      const { id } = await create([respond(answer)]);
      const { status, text } = await post(id, payload);
      expect([status, text.includes('runId')]).toEqual([500, true]);
      const { steps } = await getRun(acme, await lastRun(id));
      expect(steps[0]!.error).toMatchObject({ code: 'invalid_arguments' });
      expect(steps[0]!.error!.message).toMatch(message);
    }
  });

  itSlow('logs the delivery with the status of the answer', async () => {
    const { id } = await create([respond({ status: 418 })]);
    await post(id);
    const delivery = await waitFor(async () => {
      const { value } = await acme.call<{ deliveries: Delivery[] }>('list_webhook_deliveries', {
        workflow_id: id,
      });
      return value.deliveries[0];
    });
    expect(delivery).toMatchObject({ status: 418, code: 'accepted' });
  });

  it('sends no answer in a run that a person starts', async () => {
    const { id } = await create([respond({ body: 1 })]);
    const run = await runUntil(acme, await trigger(acme, id), 'succeeded');
    expect(run.steps[0]!.output).toEqual({ answered: false });
  });

  itSlow('does not wait for an answer after the step was removed', async () => {
    const { id } = await create([respond({ body: 1 })]);
    expect((await post(id)).text).toBe('1');
    const steps = [{ id: 'said', tool: 'probe_echo', arguments: { value: {} } }];
    await acme.call('update_workflow', { workflow_id: id, steps });
    expect((await post(id)).status).toBe(202);
  });
});
