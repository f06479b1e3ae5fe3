import { createHash, createHmac } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { itSlow, sample } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, postWebhook, type WebhookAnswer } from './support/workflow-client.js';

const SECRET = 'the secret of the provider';
const BODY = '{"id":"evt_1","event_id":"Ev1","a":"ü"}';

type Headers = Record<string, string>;

const mac = (content: string, encoding: 'hex' | 'base64', secret = SECRET, hash = 'sha256') =>
  createHmac(hash, secret).update(content).digest(encoding);
const now = () => Math.floor(Date.now() / 1000);
const hub = (body: string, secret?: string): Headers => ({
  'X-Hub-Signature-256': `sha256=${mac(body, 'hex', secret)}`,
});
const stripe = (body: string, secret?: string, time = now()): Headers => ({
  'Stripe-Signature': `t=${time},v1=${mac(`${time}.${body}`, 'hex', secret)}`,
});
const slack = (body: string, secret?: string, time = now()): Headers => ({
  'X-Slack-Request-Timestamp': String(time),
  'X-Slack-Signature': `v0=${mac(`v0:${time}:${body}`, 'hex', secret)}`,
});
const SIGN: Record<string, (body: string, secret?: string) => Headers> = {
  github: (body, secret) => ({ ...hub(body, secret), 'X-GitHub-Delivery': 'one' }),
  meta: hub,
  shopify: (body, secret) => ({
    'X-Shopify-Hmac-Sha256': mac(body, 'base64', secret),
    'X-Shopify-Webhook-Id': 'one',
  }),
  slack,
  stripe,
  typeform: (body, secret) => ({ 'Typeform-Signature': `sha256=${mac(body, 'base64', secret)}` }),
};

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const create = (signature: string, more: object = {}) =>
  createWorkflow(acme, [], { trigger: { type: 'webhook', secret: SECRET, signature, ...more } });
const update = (id: string, trigger: object) =>
  acme.call<{ workflow: { trigger: object } }>('update_workflow', {
    workflow_id: id,
    trigger: { type: 'webhook', ...trigger },
  });
const mistakesOf = (id: string) =>
  waitFor(async () => {
    const { value } = await acme.call<{ deliveries: { mistakes: { code: string }[] }[] }>(
      'list_webhook_deliveries',
      { workflow_id: id },
    );
    const [newest] = value.deliveries.filter(({ mistakes }) => mistakes.length > 0);
    return newest?.mistakes.map(({ code }) => code);
  });

describe('a webhook with the signature of a provider', () => {
  it.each(Object.entries(SIGN))('verifies deliveries of %s', async (signature, sign) => {
    const { id, trigger } = await create(signature);
    expect(trigger).toEqual({ type: 'webhook', secret: true, signature });
    expect((await postWebhook(switchboard, id, BODY, sign(BODY))).status).toBe(202);
    const wrong: Headers[] = [{}, sign(`${BODY} `), sign(BODY, 'another secret, too long')];
    // A signature in the header of Switchboard is not accepted in place of the signature of the provider.
    wrong.push({ 'x-webhook-signature': mac(BODY, 'hex') });
    const answers: WebhookAnswer[] = [];
    for (const headers of wrong) answers.push(await postWebhook(switchboard, id, BODY, headers));
    for (const { status, body } of answers) {
      expect(status).toBe(401);
      expect(body).toEqual(answers[0]!.body);
      expect(body).toMatchObject({ ok: false, error: { code: 'invalid_signature' } });
    }
  });

  it('verifies deliveries of twilio, whose signature covers the address', async () => {
    const { id, webhook_url } = await create('twilio');
    const query = `?bodySHA256=${createHash('sha256').update(BODY).digest('hex')}`;
    const send = (path: string, address: string) =>
      postWebhook(switchboard, `${id}${path}`, BODY, {
        'X-Twilio-Signature': mac(address, 'base64', SECRET, 'sha1'),
      });
    expect((await send(query, `${webhook_url}${query}`)).status).toBe(202);
    expect((await send(`${query}&a=1`, `${webhook_url}${query}`)).status).toBe(401);
    expect((await send('', webhook_url!)).status).toBe(401);
  });

  it.each(
    sample(
      [
        ['slack', slack],
        ['stripe', stripe],
      ] as const,
      2,
    ),
  )('refuses old deliveries of %s, as tolerance_seconds says', async (signature, sign) => {
    const { id } = await create(signature);
    const send = async (age: number) =>
      (await postWebhook(switchboard, id, BODY, sign(BODY, SECRET, now() - age))).status;
    expect(await send(400)).toBe(401);
    expect(await mistakesOf(id)).toEqual([`expects_${signature}`, 'too_old']);
    await update(id, { tolerance_seconds: 600 });
    expect(await send(400)).toBe(202);
  });

  it.each([
    ['github', 'X-GitHub-Delivery'],
    ['shopify', 'X-Shopify-Webhook-Id'],
  ])('starts one run for a delivery that %s repeats', async (signature, header) => {
    const { id } = await create(signature);
    const send = async (name: string) =>
      (await postWebhook(switchboard, id, BODY, { ...SIGN[signature]!(BODY), [header]: name }))
        .body;
    const first = await send('one');
    expect(await send('one')).toEqual({ ok: true, runId: first.runId, duplicate: true });
    expect((await send('two')).runId).not.toBe(first.runId);
    // The header is not signed, so somebody who recorded a delivery could change it.
    await update(id, { dedupe_seconds: 60 });
    const third = await send('three');
    expect((await send('four')).runId).toBe(third.runId);
  });

  it.each([
    ['stripe', 'id'],
    ['slack', 'event_id'],
    ['typeform', 'event_id'],
  ])('starts one run for the signed id of %s, even when the body changes', async (name, member) => {
    const { id } = await create(name);
    const send = async (value: object) => {
      const body = JSON.stringify(value);
      return (await postWebhook(switchboard, id, body, SIGN[name]!(body))).body;
    };
    const first = await send({ [member]: 'e1', pending_webhooks: 1 });
    const again = await send({ [member]: 'e1', pending_webhooks: 0 });
    expect(again).toEqual({ ok: true, runId: first.runId, duplicate: true });
    expect((await send({ [member]: 'e2' })).runId).not.toBe(first.runId);
  });

  it.each([
    ['slack', undefined],
    ['slack', 60],
    ['stripe', 60],
    ['typeform', undefined],
  ])(
    'starts one run for a JSON event of %s that is sent again with another Content-Type, with dedupe_seconds %s',
    async (name, dedupe_seconds) => {
      const accept = ['form', 'multipart', 'text'];
      const { id } = await create(name, { accept, dedupe_seconds });
      const send = async (type: string, body = BODY) => {
        const headers = { ...SIGN[name]!(body), 'Content-Type': type };
        return (await postWebhook(switchboard, id, body, headers)).body;
      };
      const { runId } = await send('application/json');
      const types = [
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'text/plain; charset=utf-16',
      ];
      for (const type of types) expect(await send(type)).toMatchObject({ runId, duplicate: true });
      // White space is signed too, but the provider sends none.
      const spaced = `\n ${BODY}`;
      expect(await send(types[0]!, spaced)).toMatchObject({ runId, duplicate: true });
    },
  );

  itSlow('keeps the previous secret valid during the overlap', async () => {
    const { id } = await create('github');
    await update(id, { secret: 'the second secret', overlap_seconds: 60 });
    for (const secret of [SECRET, 'the second secret']) {
      expect((await postWebhook(switchboard, id, BODY, hub(BODY, secret))).status).toBe(202);
    }
    await update(id, { overlap_seconds: 0 });
    expect((await postWebhook(switchboard, id, BODY, hub(BODY))).status).toBe(401);
    expect(await mistakesOf(id)).toEqual(['expects_github', 'previous_secret']);
  });

  itSlow(
    'shows the owner that a provider has signed a delivery whose trigger names no provider',
    async () => {
      const { id } = await create('github', { signature: null });
      expect((await postWebhook(switchboard, id, BODY, stripe(BODY))).status).toBe(401);
      expect(await mistakesOf(id)).toEqual(['provider_signature']);
    },
  );

  it('keeps its provider when the trigger is replaced, unless the new signature is null', async () => {
    const { id } = await create('stripe');
    const { value } = await update(id, {});
    expect(value.workflow.trigger).toMatchObject({ signature: 'stripe', secret: true });
    expect((await update(id, { signature: null })).value.workflow.trigger).toEqual({
      type: 'webhook',
      secret: true,
    });
  });

  it.each<[string, object, string]>([
    ['an unknown provider', { secret: SECRET, signature: 'strpe' }, 'trigger.signature'],
    ['no secret', { signature: 'stripe' }, 'trigger.signature'],
    ['a removed secret', { secret: null, signature: 'github' }, 'trigger.signature'],
    ['a generated secret', { secret: true, signature: 'stripe' }, 'trigger.secret'],
    [
      'a tolerance that the provider cannot meet',
      { secret: SECRET, signature: 'shopify', tolerance_seconds: 60 },
      'trigger.tolerance_seconds',
    ],
    [
      'a token without Meta',
      { secret: SECRET, signature: 'slack', verify_token: 'x' },
      'trigger.verify_token',
    ],
    [
      'a token with a space',
      { secret: SECRET, signature: 'meta', verify_token: 'x y' },
      'trigger.verify_token',
    ],
  ])('cannot be saved with %s', async (_what, trigger, path) => {
    const { error } = await acme.call('create_workflow', {
      name: 'Wrong',
      trigger: { type: 'webhook', ...trigger },
      steps: [],
    });
    expect(error).toMatchObject({ code: 'invalid_arguments', details: [{ path }] });
  });

  it('needs the new secret in rotate_webhook_secret if the provider creates it', async () => {
    const rotate = (id: string, more: object) =>
      acme.call('rotate_webhook_secret', { workflow_id: id, ...more });
    const { id } = await create('stripe');
    expect((await rotate(id, {})).error).toMatchObject({ details: [{ path: 'secret' }] });
    expect((await rotate(id, { secret: 'the second secret' })).error).toBeUndefined();
    for (const chosenByPerson of ['github', 'typeform']) {
      const { id: other } = await create(chosenByPerson);
      expect((await rotate(other, {})).error).toBeUndefined();
    }
  });
});

describe('the challenge of a provider', () => {
  it('of Slack is answered when it is signed, and starts no run', async () => {
    const { id } = await create('slack');
    const body = JSON.stringify({ type: 'url_verification', challenge: '3eZbrw1aBm2r' });
    const answer = await postWebhook(switchboard, id, body, slack(body));
    expect(answer).toMatchObject({ status: 200, body: { challenge: '3eZbrw1aBm2r' } });
    expect(Object.keys(answer.body)).toEqual(['challenge']);
    expect((await postWebhook(switchboard, id, body)).status).toBe(401);
    const { value } = await acme.call<{ runs: object[] }>('list_runs', { workflow_id: id });
    expect(value.runs).toEqual([]);
  });

  it('of Meta is answered when it has the token of the trigger', async () => {
    const { id } = await create('meta', { verify_token: 'meatyhamhock' });
    const ask = async (workflowId: string, token: string, challenge = '1158201444') => {
      const query = new URLSearchParams({
        'hub.mode': 'subscribe',
        'hub.challenge': challenge,
        'hub.verify_token': token,
      });
      const response = await fetch(
        `${switchboard.url}/api/webhooks/workflow/${workflowId}?${query.toString()}`,
      );
      const type = response.headers.get('content-type');
      return { status: response.status, type, text: await response.text() };
    };
    const right = { status: 200, type: 'text/plain', text: '1158201444' };
    expect(await ask(id, 'meatyhamhock')).toEqual(right);
    expect((await ask(id, 'wrong')).status).toBe(401);
    expect(await mistakesOf(id)).toEqual(['expects_meta', 'verify_token']);
    const { id: other } = await create('meta');
    for (const [workflowId, challenge] of [
      [other, '1'],
      ['unknown', '1'],
      [id, '<script> </script>'],
    ] as const) {
      expect((await ask(workflowId, 'meatyhamhock', challenge)).status).toBe(405);
    }
  });
});
