import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestMessage } from '../messaging/support.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import {
  endWaits,
  type RunShape,
  runUntil,
  trigger,
  type WorkflowShape,
} from '../workflows/support/workflow-client.js';
import { type ProviderServer, startProviders } from './support/provider-server.js';
import { github } from './support/providers/github.js';
import { microsoft } from './support/providers/microsoft.js';
import { openai } from './support/providers/openai.js';
import { shopify } from './support/providers/shopify.js';
import { slack } from './support/providers/slack.js';
import { stripe } from './support/providers/stripe.js';
import { twilio } from './support/providers/twilio.js';
import { readRecipe, type Recipe } from './support/recipe.js';

const FOLDER = resolve(import.meta.dirname, '../../docs/recipes');
const ANSWER_MS = 2000;
const customer = (id: number, email: string | null) => ({
  id,
  email,
  first_name: 'Katherine',
  last_name: 'Johnson',
});

/** Returns a payload that is both an order of Shopify and a payment of Stripe. The buyer has no customer account. */
const guestOf = (email: string) => ({
  email,
  customer: null,
  data: { object: { customer: null, amount_total: 100, customer_details: { email, name: null } } },
});

interface Contact {
  email: string | null;
  first_name: string | null;
  external_id: string | null;
  tags: string[];
  properties: Record<string, unknown>;
}

let switchboard: Switchboard;
let acme: TestOrganization;
let providers: ProviderServer;
const secretOf = (name: string): string => String(readRecipe(name, '').secret!.secret);
const { username: account, secret: authToken } = readRecipe('twilio-sms', '').secret!;
const { client_id: clientId, secret: clientSecret } = readRecipe('list-row', '').secret!;
const { otherSecret: shopifyApp } = readRecipe('nightly-import', '');
const entra = microsoft(String(clientId), String(clientSecret));

beforeAll(async () => {
  providers = await startProviders({
    'api.stripe.com': stripe(secretOf('stripe-payment')),
    'api.github.com': github(secretOf('github-issue')),
    'hooks.slack.com': slack(),
    'api.twilio.com': twilio(String(account), String(authToken)),
    'login.microsoftonline.com': entra.login,
    'graph.microsoft.com': entra.graph,
    'api.openai.com': openai(secretOf('language-model'), ANSWER_MS),
    'example-shop.myshopify.com': shopify(
      secretOf('nightly-import'),
      {
        clientId: String(shopifyApp!.client_id),
        clientSecret: String(shopifyApp!.secret),
        token: 'shpat_for_a_day',
      },
      [
        customer(1, 'katherine@example.com'),
        customer(2, null),
        customer(3, 'no address'),
        customer(4, 'annie@example.com'),
        customer(5, 'christine@example.com'),
      ],
    ),
  });
  switchboard = await startSwitchboard({ env: { OUTBOUND_ALLOW: `127.0.0.1:${providers.port}` } });
  acme = await createOrganization(switchboard);
});
afterAll(async () => {
  await switchboard.close();
  await providers.close();
});

/** Follows a page up to "Try it": sets its secret as a person, and saves its workflow with the API key. */
async function follow(name: string): Promise<Recipe & { id: string; webhook: string }> {
  const recipe = readRecipe(name, providers.url);
  if (recipe.secret) {
    expect((await acme.call('set_secret', recipe.secret)).error).toBeUndefined();
  }
  const params = { name: 'create_workflow', arguments: recipe.workflow };
  const response = await acme.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const { result } = (await response.json()) as { result: { content: { text: string }[] } };
  const saved = JSON.parse(result.content[0]!.text) as { workflow: WorkflowShape };
  expect(saved).toHaveProperty('workflow');
  return { ...recipe, id: saved.workflow.id, webhook: saved.workflow.webhook_url! };
}

const runsOf = async (workflowId: string): Promise<{ id: string }[]> => {
  const { value } = await acme.call<{ runs: { id: string }[] }>('list_runs', {
    workflow_id: workflowId,
  });
  return value.runs;
};
/** Waits for the end of all runs of a workflow, and returns them, the oldest first. */
const ended = async (workflowId: string): Promise<RunShape[]> => {
  const runs = (await runsOf(workflowId)).toReversed();
  const done: RunShape[] = [];
  for (const { id } of runs) {
    done.push(await runUntil(acme, id, 'succeeded', 'failed', 'canceled'));
  }
  return done;
};
const statusesOf = ({ status, steps }: RunShape) => [
  status,
  ...steps.map((step) => `${step.id} ${step.status}`),
];
const contact = async (email: string): Promise<Contact> =>
  (await acme.call<{ contact: Contact }>('get_contact', { email })).value.contact;
const messagesTo = async (email: string): Promise<TestMessage[]> => {
  const { value } = await acme.call<{ messages: TestMessage[] }>('list_messages', { limit: 100 });
  return value.messages.filter(({ to }) => to === email);
};

describe('docs/recipes', () => {
  it('shopify-order.md makes a contact and one message from an order', async () => {
    const { id, webhook, run } = await follow('shopify-order');
    await run(0, { WEBHOOK: webhook });
    expect((await ended(id)).map(statusesOf)).toEqual([
      ['succeeded', 'trigger.contact succeeded', 'thanks succeeded'],
    ]);
    expect(await contact('ada@example.com')).toMatchObject({
      external_id: 'shopify:115310627314723954',
      tags: ['customer'],
      properties: { last_order: '#1001' },
    });
    expect(await messagesTo('ada@example.com')).toMatchObject([
      {
        subject: 'Your order #1001',
        body: 'Hello Ada,\n\nthank you for your order:\n\n- 2 x Notebook\n\nTotal: 42.00 EUR',
      },
    ]);
  });

  it('stripe-payment.md stores the id of the contact at Stripe, and sends one message of thanks', async () => {
    const { id, webhook, run } = await follow('stripe-payment');
    await run(0, { WEBHOOK: webhook });
    const [first, ...others] = await ended(id);
    expect(others).toEqual([]);
    expect(first!.status).toBe('succeeded');
    const [request] = providers.accepted('api.stripe.com');
    expect(request!.body).toBe(`metadata%5Bcontact_id%5D=${first!.contact_id}`);
    expect(providers.statusesOf('api.stripe.com')).toEqual([200]);
    expect(await messagesTo('grace@example.com')).toMatchObject([
      { body: 'Thank you. We received 42 EUR.' },
    ]);
  });

  it.each(['shopify-order', 'stripe-payment'])(
    '%s.md makes one contact for each guest',
    async (page) => {
      const { id } = await follow(page);
      const emails = [`guest1@${page}.example.com`, `guest2@${page}.example.com`];
      for (const email of emails) await trigger(acme, id, guestOf(email));
      expect((await ended(id)).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
      for (const email of emails) {
        expect(await contact(email)).toMatchObject({ email, external_id: null });
      }
    },
  );

  it('github-issue.md writes one comment on a new issue', async () => {
    const { id, webhook, run } = await follow('github-issue');
    await run(0, { WEBHOOK: webhook });
    expect((await ended(id)).map(statusesOf)).toEqual([['succeeded', 'comment succeeded']]);
    expect(providers.statusesOf('api.github.com')).toEqual([201]);
    const [comment] = providers.accepted('api.github.com');
    expect(JSON.parse(comment!.body)).toEqual({
      body: 'Thank you, @octocat. We answer within two days.',
    });
  });

  it('slack-command.md answers the challenge, and sends the answer to a command to its response_url', async () => {
    await acme.call('create_contact', {
      email: 'ada@example.com',
      first_name: 'Ada',
      last_name: 'Lovelace',
      tags: ['customer'],
      on_conflict: 'update',
    });
    const { id, webhook, run } = await follow('slack-command');
    await run(0, { WEBHOOK: webhook });
    expect(await runsOf(id)).toEqual([]);
    expect(await run(1, { WEBHOOK: webhook })).toEqual([]);
    expect((await ended(id)).map(({ status }) => status)).toEqual(['succeeded']);
    expect(providers.statusesOf('hooks.slack.com')).toEqual([200]);
    const [message] = providers.accepted('hooks.slack.com');
    expect(JSON.parse(message!.body)).toMatchObject({ text: 'Ada Lovelace, tags: customer' });
  });

  it('typeform.md finds the answers by the references of their questions', async () => {
    const { id, webhook, run } = await follow('typeform');
    await run(0, { WEBHOOK: webhook });
    expect((await ended(id)).map(statusesOf)).toEqual([
      ['succeeded', 'trigger.contact succeeded', 'welcome succeeded'],
    ]);
    expect(await contact('hedy@example.com')).toMatchObject({
      first_name: 'Hedy',
      tags: ['typeform'],
      properties: { campaign: 'spring' },
      consent: { email: { status: 'granted' } },
    });
    expect(await messagesTo('hedy@example.com')).toMatchObject([{ subject: 'Welcome' }]);
  });

  it('html-form.md accepts the fields of its form, and ignores robots', async () => {
    const { id, webhook, run, html } = await follow('html-form');
    const names = [...html!.matchAll(/ name="(\w+)"/g)].map(([, name]) => name!);
    const text = readFileSync(resolve(FOLDER, 'html-form.md'), 'utf8');
    for (const name of names.filter((one) => one !== 'answer')) {
      expect(text).toContain(`trigger.payload.${name}`);
      expect(text).toMatch(new RegExp(`(-d|--data-urlencode) ['"]?${name}=`));
    }
    await run(0, { WEBHOOK: webhook });
    expect((await ended(id)).map(({ status }) => status)).toEqual(['succeeded']);
    expect(await contact('mary@example.com')).toMatchObject({
      first_name: 'Mary',
      tags: ['website'],
      consent: { email: { status: 'granted' } },
    });
    expect(await messagesTo('team@example.com')).toMatchObject([
      { subject: 'Question from mary@example.com', body: 'Do you ship to Vienna?' },
    ]);
  });

  it('twilio-sms.md records an SMS once, and replies once', async () => {
    const { id, webhook, run } = await follow('twilio-sms');
    await run(0, { WEBHOOK: webhook });
    expect((await ended(id)).map((one) => statusesOf(one).slice(2))).toEqual([
      ['message succeeded', 'reply succeeded'],
      ['message succeeded', 'reply skipped'],
    ]);
    const { value } = await acme.call<{ messages: object[] }>('list_messages', { channel: 'sms' });
    expect(value.messages).toMatchObject([
      { direction: 'inbound', body: 'Where is my parcel?', to: '+4312345678' },
    ]);
    expect(providers.statusesOf('api.twilio.com')).toEqual([201]);
  });

  it('list-row.md authenticates with a token to add a row, and gets a new token after the first one was revoked', async () => {
    const { id, run } = await follow('list-row');
    const settings = { URL: switchboard.url, API_KEY: acme.key };
    await run(0, settings);
    await waitFor(async () => (await runsOf(id)).length === 1);
    const [first] = await ended(id);
    expect(statusesOf(first!)).toEqual(['succeeded', 'row succeeded', 'note succeeded']);
    expect(await contact('joan@example.com')).toMatchObject({ properties: { row: '1' } });
    entra.revokeTokens();
    await acme.call('create_contact', { email: 'beatrice@example.com', tags: ['lead'] });
    await waitFor(async () => (await runsOf(id)).length === 2);
    expect((await ended(id)).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
    expect(providers.statusesOf('graph.microsoft.com')).toEqual([201, 401, 201]);
    expect(providers.statusesOf('login.microsoftonline.com')).toEqual([200, 200]);
    expect(JSON.stringify(await ended(id))).not.toContain('eyJ0eXAi');
  });

  it('language-model.md waits for a slow answer, after a request that was refused as too early', async () => {
    const { id, webhook, run } = await follow('language-model');
    await run(0, { WEBHOOK: webhook });
    const [{ id: runId } = { id: '' }] = await runsOf(id);
    // On a busy machine, the run may succeed before the test sees that it waits.
    await runUntil(acme, runId, 'waiting', 'succeeded');
    await endWaits(switchboard, runId);
    const [done] = await ended(id);
    expect(done!.steps.map((step) => [step.id, step.status, step.attempts])).toEqual([
      ['trigger.contact', 'succeeded', 1],
      ['sorted', 'succeeded', 2],
      ['topic', 'succeeded', 1],
    ]);
    expect(providers.statusesOf('api.openai.com')).toEqual([429, 200]);
    expect(await contact('dorothy@example.com')).toMatchObject({
      properties: { topic: 'shipping' },
    });
  });

  it('nightly-import.md reads all pages, and skips people who cannot be saved', async () => {
    const { id, run } = await follow('nightly-import');
    await run(0, { URL: switchboard.url, API_KEY: acme.key, WORKFLOW: id });
    const [done] = await ended(id);
    expect(done!.status).toBe('succeeded');
    const outputOf = (stepId: string) => done!.steps.find((step) => step.id === stepId)?.output;
    expect(outputOf('changed')).toMatchObject({ pages: 3, complete: true });
    expect(outputOf('people')).toMatchObject({ count: 5 });
    const saved = done!.steps.filter(({ tool }) => tool === 'create_contact');
    expect(saved.map(({ status }) => status).sort()).toEqual([
      'failed',
      'skipped',
      'succeeded',
      'succeeded',
      'succeeded',
    ]);
    expect(providers.statusesOf('example-shop.myshopify.com')).toEqual([200, 200, 200]);
    const [first] = providers.accepted('example-shop.myshopify.com');
    expect(first!.query.get('updated_at_min')).toBe('2030-01-30T02:00:00Z');
    for (const [email, number] of [
      ['katherine@example.com', 1],
      ['annie@example.com', 4],
      ['christine@example.com', 5],
    ] as const) {
      expect(await contact(email)).toMatchObject({ external_id: `shopify:${number}` });
    }
  });

  it('nightly-import.md gets tokens for an app of the Dev Dashboard', async () => {
    const { id, run, otherSecret } = await follow('nightly-import');
    expect((await acme.call('set_secret', otherSecret)).error).toBeUndefined();
    await run(0, { URL: switchboard.url, API_KEY: acme.key, WORKFLOW: id });
    const [done] = await ended(id);
    expect(done!.status).toBe('succeeded');
    expect(providers.statusesOf('example-shop.myshopify.com').slice(-4)).toEqual([
      200, 200, 200, 200,
    ]);
    const paths = providers.accepted('example-shop.myshopify.com').map(({ path }) => path);
    expect(paths).toContain('/admin/oauth/access_token');
  });

  it('approval-by-link.md refunds the payment when the manager approves', async () => {
    const { id, webhook, run, html } = await follow('approval-by-link');
    const buttons = [...html!.matchAll(/name="(\w+)" value="(\w+)"/g)].map(([, ...one]) => one);
    expect(buttons).toEqual([
      ['decision', 'approve'],
      ['decision', 'decline'],
    ]);
    await run(0, { WEBHOOK: webhook });
    const [{ id: runId } = { id: '' }] = await runsOf(id);
    await runUntil(acme, runId, 'waiting');
    const [message] = await messagesTo('manager@example.com');
    const [, link = ''] = /https:\/\/www\.example\.com\/decide\.html#(\S+)$/.exec(message!.body)!;
    expect(link.startsWith(`${switchboard.url}/api/webhooks/resume/`)).toBe(true);
    await run(1, { CALLBACK: link });
    await ended(id);
    expect(await messagesTo('katherine@example.com')).toMatchObject([
      { body: 'You get 42 EUR back.' },
    ]);
  });

  it('approval-by-link.md sends another message when nobody has decided in time', async () => {
    const { id, webhook, run } = await follow('approval-by-link');
    await run(0, { WEBHOOK: webhook });
    const [{ id: runId } = { id: '' }] = await runsOf(id);
    await runUntil(acme, runId, 'waiting');
    await endWaits(switchboard, runId);
    const [done] = await ended(id);
    expect(done!.steps.map((step) => step.id)).toContain('no');
    const bodies = (await messagesTo('katherine@example.com')).map(({ body }) => body);
    expect(bodies).toContain('We need more time, and write again.');
  });

  it('has an entry in its index and a test for every page', () => {
    const pages = readdirSync(FOLDER).filter((name) => name !== 'README.md');
    const index = readFileSync(resolve(FOLDER, 'README.md'), 'utf8');
    const tests = readFileSync(import.meta.filename, 'utf8');
    for (const page of pages) {
      expect(index).toContain(`](${page})`);
      expect(tests).toContain(`  it('${page} `);
    }
    expect(pages.length).toBeGreaterThanOrEqual(10);
  });
});
