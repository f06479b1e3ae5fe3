import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { itSlow } from '../support/thorough.js';
import {
  createWorkflow,
  getRun,
  runUntil,
  sign,
  type WebhookAnswer,
} from './support/workflow-client.js';

const FORM = 'application/x-www-form-urlencoded';
const SECRET = 'the secret of the provider';

interface Sent {
  path?: string;
  type?: string;
  method?: string;
  headers?: Record<string, string>;
}

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const create = (trigger: object, steps: object[] = []) =>
  createWorkflow(acme, steps, { trigger: { type: 'webhook', ...trigger } });

const send = async (
  id: string,
  body: string | Uint8Array | FormData | undefined,
  sent: Sent = {},
) => {
  const { path = '', type, method = 'POST', headers } = sent;
  const url = `${switchboard.url}/api/webhooks/workflow/${id}${path}`;
  const response = await fetch(url, {
    method,
    body,
    headers: { ...(type !== undefined && { 'Content-Type': type }), ...headers },
  });
  return { status: response.status, body: (await response.json()) as WebhookAnswer['body'] };
};
const payloadOf = async (runId: string) => (await getRun(acme, runId)).trigger.payload;

describe('a webhook that accepts other formats', () => {
  it('starts a run with the fields of a form, and finds the contact that the form names', async () => {
    const { value } = await acme.call<{ contact: { id: string } }>('create_contact', {
      email: 'ada@example.com',
    });
    const { id, trigger } = await create({ accept: ['get', 'form'] }, [
      {
        id: 'seen',
        tool: 'search_contacts',
        arguments: { query: '{{ trigger.payload.plan }}' },
      },
    ]);
    expect(trigger).toEqual({ type: 'webhook', accept: ['form', 'get'] });
    const { status, body } = await send(id, 'email=Ada%40example.com&plan=pro+max', { type: FORM });
    expect(status).toBe(202);
    const run = await runUntil(acme, body.runId, 'succeeded');
    expect(run).toMatchObject({
      contact_id: value.contact.id,
      trigger: { payload: { email: 'Ada@example.com', plan: 'pro max' } },
    });
    expect(run.steps[0]!.input).toEqual({ query: 'pro max' });
  });

  it('accepts the request of a browser for a form with a file', async () => {
    const { id } = await create({ accept: ['multipart'] });
    const form = new FormData();
    form.append('name', 'Ada Ümlaut');
    form.append('cv', new Blob([Buffer.alloc(70_000)], { type: 'application/pdf' }), 'cv ü.pdf');
    const { status, body } = await send(id, form);
    expect(status).toBe(202);
    expect(await payloadOf(body.runId)).toEqual({
      name: 'Ada Ümlaut',
      cv: { filename: 'cv ü.pdf', type: 'application/pdf', size: 70_000 },
    });
  });

  it('starts a run for GET, and not for HEAD', async () => {
    const { id } = await create({ accept: ['get'] });
    const { status, body } = await send(id, undefined, { method: 'GET', path: '?a=1&b=x%20y' });
    expect(status).toBe(202);
    expect(await payloadOf(body.runId)).toEqual({ a: '1', b: 'x y' });
    const url = `${switchboard.url}/api/webhooks/workflow/${id}?a=1`;
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(405);
    const { value } = await acme.call<{ runs: object[] }>('list_runs', { workflow_id: id });
    expect(value.runs).toHaveLength(1);
    await acme.call('deactivate_workflow', { workflow_id: id });
    expect((await fetch(url)).status).toBe(405);
  });

  it('checks the signature of the bytes that were sent, not of the decompressed bytes', async () => {
    const { id } = await create({ accept: ['gzip', 'json'], secret: SECRET });
    const [plain, packed] = ['[1]', gzipSync('[1]')];
    const post = (signed: string | Buffer) =>
      send(id, packed, {
        type: 'application/json',
        headers: { 'Content-Encoding': 'gzip', 'x-webhook-signature': sign(signed, SECRET) },
      });
    expect((await post(plain)).status).toBe(401);
    const { status, body } = await post(packed);
    expect(status).toBe(202);
    expect(await payloadOf(body.runId)).toEqual({ body: [1] });
  });

  itSlow(
    'refuses an unsigned decompression bomb without decompressing it, and a signed bomb by its size',
    async () => {
      const { id } = await create({ accept: ['gzip'], secret: SECRET });
      const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024));
      const post = (headers: Record<string, string>) =>
        send(id, bomb, {
          type: 'application/json',
          headers: { 'Content-Encoding': 'gzip', ...headers },
        });
      expect((await post({})).status).toBe(401);
      expect((await post({ 'x-webhook-signature': sign(bomb, SECRET) })).status).toBe(413);
    },
  );

  it('starts one run for a repeated key or body, in any format', async () => {
    const { id } = await create({ accept: ['form'], dedupe_seconds: 60 });
    const first = await send(id, 'a=1', { type: FORM });
    expect((await send(id, 'a=1', { type: FORM })).body).toEqual({
      ...first.body,
      duplicate: true,
    });
    const headers = { 'Idempotency-Key': 'one' };
    const keyed = await send(id, 'a=2', { type: FORM, headers });
    expect((await send(id, 'a=2', { type: FORM, headers })).body.runId).toBe(keyed.body.runId);
    expect((await send(id, 'a=3', { type: FORM, headers })).status).toBe(422);
  });

  it('accepts the forms of Slack, GitHub and Twilio without a setting', async () => {
    const { id: slack } = await create({ secret: SECRET, signature: 'slack' });
    const time = String(Math.floor(Date.now() / 1000));
    const command = 'command=%2Fweather&text=94070';
    const mac = createHmac('sha256', SECRET).update(`v0:${time}:${command}`).digest('hex');
    const headers = { 'X-Slack-Request-Timestamp': time, 'X-Slack-Signature': `v0=${mac}` };
    const asked = await send(slack, command, { type: FORM, headers });
    expect(await payloadOf(asked.body.runId)).toEqual({ command: '/weather', text: '94070' });

    const { id: github } = await create({ secret: SECRET, signature: 'github' });
    const pushed = `payload=${encodeURIComponent('{"action":"opened"}')}`;
    const signature = `sha256=${sign(pushed, SECRET)}`;
    const opened = await send(github, pushed, {
      type: FORM,
      headers: { 'X-Hub-Signature-256': signature },
    });
    expect(await payloadOf(opened.body.runId)).toEqual({ action: 'opened' });

    const { id: twilio, webhook_url } = await create({ secret: SECRET, signature: 'twilio' });
    const signed = `${webhook_url}BodyHello & more?From+15551234567`;
    const said = await send(twilio, 'From=%2B15551234567&Body=Hello+%26+more%3F', {
      type: FORM,
      headers: {
        'X-Twilio-Signature': createHmac('sha1', SECRET).update(signed).digest('base64'),
      },
    });
    expect(await payloadOf(said.body.runId)).toEqual({
      From: '+15551234567',
      Body: 'Hello & more?',
    });
  });

  it('shows the payload of a test delivery', async () => {
    const { id } = await create({ accept: ['form'] });
    expect((await send(id, 'a=1', { path: '/test', type: FORM })).status).toBe(200);
    const { value } = await acme.call<{ deliveries: object[] }>('list_webhook_deliveries', {
      workflow_id: id,
    });
    expect(value.deliveries).toMatchObject([{ kind: 'test', payload: { a: '1' }, body_bytes: 3 }]);
  });

  it('logs refused deliveries', async () => {
    const { id } = await create({ accept: ['form'] });
    expect((await send(id, 'a=%FC', { type: FORM })).body.error.code).toBe('invalid_body');
    const codes = await waitFor(async () => {
      const { value } = await acme.call<{ deliveries: { code: string }[] }>(
        'list_webhook_deliveries',
        { workflow_id: id },
      );
      return value.deliveries.length > 0 && value.deliveries.map(({ code }) => code);
    });
    expect(codes).toEqual(['invalid_body']);
  });

  it.each<[string, object, string]>([
    ['an unknown format', { accept: ['forms'] }, 'trigger.accept[0]'],
    ['a text', { accept: 'form' }, 'trigger.accept'],
    ['GET and a secret', { accept: ['get'], secret: true }, 'trigger.accept'],
  ])('cannot be saved with %s', async (_what, trigger, path) => {
    const { error } = await acme.call('create_workflow', {
      name: 'Wrong',
      trigger: { type: 'webhook', ...trigger },
      steps: [],
    });
    expect(error).toMatchObject({ code: 'invalid_arguments', details: [{ path }] });
  });

  it('never accepts GET together with a secret, because no signature covers the query', async () => {
    const { id } = await create({ accept: ['get'] });
    const rotated = await acme.call('rotate_webhook_secret', { workflow_id: id });
    expect(rotated.error).toMatchObject({ details: [{ path: 'trigger.accept' }] });
    const trigger = { type: 'webhook', secret: true, accept: null };
    expect(
      (await acme.call('update_workflow', { workflow_id: id, trigger })).error,
    ).toBeUndefined();
    expect((await send(id, undefined, { method: 'GET' })).status).toBe(405);
  });
});
