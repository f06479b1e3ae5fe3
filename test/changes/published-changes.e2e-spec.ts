import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ChangeOrGap, resourceChange } from '../../src/changes/change-feed.js';
import { MessageWorker } from '../../src/messaging/message.worker.js';
import { RunWorker } from '../../src/workflows/engine/run.worker.js';
import { createContact, getMessage, send } from '../messaging/support.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { ProbeTools } from '../workflows/support/probe.tools.js';
import {
  createWorkflow,
  getRun,
  postWebhook,
  trigger,
} from '../workflows/support/workflow-client.js';
import { Told } from './told.js';

// The tests play the workers of one process, and look from another at what they tell.
let here: Switchboard;
let there: Switchboard;
let acme: TestOrganization;
let globex: TestOrganization;
let told: Told;
let toldGlobex: Told;
beforeAll(async () => {
  here = await startSwitchboard({ env: { ROLE: 'web' }, providers: [ProbeTools] });
  there = await startSwitchboard({ env: { ROLE: 'web' }, databaseUrl: here.databaseUrl });
  acme = await createOrganization(here);
  globex = await createOrganization(here);
  told = await Told.of(there, acme.id);
  toldGlobex = await Told.of(there, globex.id);
  // Its key was made just before, which may be told only now.
  await toldGlobex.settle(here, globex.id);
});
beforeEach(() => news());
afterAll(async () => {
  expect(await toldGlobex.settle(here, globex.id)).toEqual([]);
  told.close();
  toldGlobex.close();
  await there.close();
  await here.close();
});

/**
 * What was told since the last time. The log of webhooks is written, and told of, some time after the webhook, perhaps
 * during a later test; it has a test of its own.
 */
const heard = async (): Promise<ChangeOrGap[]> =>
  (await told.settle(here, acme.id)).filter((one) => !JSON.stringify(one).includes('/deliveries'));
/** The same, each change once, however often it was told. */
const news = async (): Promise<unknown[]> =>
  [...new Set((await heard()).map((one) => JSON.stringify(one)))].map(
    (one) => JSON.parse(one) as unknown,
  );
const live = new AbortController().signal;

describe('a run', () => {
  const claim = async (runId: string) =>
    (await here.app.get(RunWorker, { strict: false }).claim(1, runId))[0]!;
  const work = (held: Awaited<ReturnType<typeof claim>>, signal = live) =>
    here.app.get(RunWorker, { strict: false }).work(held, signal);
  const expire = (runId: string) =>
    here.ownerQuery(`update workflow_runs set available_at = now() where id = $1`, [runId]);
  const start = async (...steps: object[]): Promise<string> => {
    const workflow = await createWorkflow(acme, steps);
    const runId = await trigger(acme, workflow.id);
    await news();
    return runId;
  };
  const echo = { id: 'a', tool: 'probe_echo', arguments: { value: {} } };

  it('is told of when it is asked for, and not when its key was used before', async () => {
    const workflow = await createWorkflow(acme, [echo]);
    const { body } = await postWebhook(here, workflow.id, {}, { 'Idempotency-Key': 'once' });
    expect(await news()).toEqual([resourceChange('runs', body.runId)]);
    await postWebhook(here, workflow.id, {}, { 'Idempotency-Key': 'once' });
    expect(await news()).toEqual([]);
  });

  it('is told of when a worker takes it, and when the worker hands it back', async () => {
    const runId = await start(echo);
    const held = await claim(runId);
    await work(held, AbortSignal.abort());
    expect(await news()).toEqual([resourceChange('runs', runId)]);
    await here.app.get(RunWorker, { strict: false }).release([held]);
    expect((await getRun(acme, runId)).status).toBe('queued');
    expect(await news()).toEqual([resourceChange('runs', runId)]);
  });

  it.each([
    ['succeeds', [echo], 'succeeded'],
    [
      'fails',
      [{ id: 'a', tool: 'probe_fail', arguments: { name: 'x', code: 'conflict' } }],
      'failed',
    ],
    ['waits', [{ id: 'a', wait: { days: 1 } }], 'waiting'],
    [
      'waits to try again',
      [{ id: 'a', tool: 'probe_fail', arguments: { name: 'x', code: 'unavailable' } }],
      'waiting',
    ],
  ])('is told of when it %s', async (_case, steps, status) => {
    const runId = await start(...steps);
    const held = await claim(runId);
    // Only what the steps tell: the claim is told of as well.
    await work(held, AbortSignal.abort());
    await news();
    const done = work(held);
    await done;
    expect((await getRun(acme, runId)).status).toBe(status);
    const all = await heard();
    expect(all.length).toBeGreaterThan(1);
    expect(new Set(all.map((one) => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify(resourceChange('runs', runId))]),
    );
  });

  it('is told of while a step talks to the outside', async () => {
    ProbeTools.hold('told outside');
    const runId = await start({
      id: 'a',
      tool: 'probe_outside',
      arguments: { name: 'told outside' },
    });
    const done = work(await claim(runId));
    await told.until(resourceChange('runs', runId));
    await told.until(resourceChange('runs', runId));
    ProbeTools.open('told outside');
    await told.until(resourceChange('runs', runId));
    await done;
  });

  it('is told of when it is canceled, and when it is tried again', async () => {
    const runId = await start(echo);
    await acme.call('cancel_run', { run_id: runId });
    expect(await news()).toEqual([resourceChange('runs', runId)]);
    await acme.call('cancel_run', { run_id: runId });
    expect(await news()).toEqual([]);
    await acme.call('retry_run', { run_id: runId });
    expect(await news()).toEqual([resourceChange('runs', runId)]);
  });

  it('is told of when it has crashed too often, which no worker sees', async () => {
    const runId = await start(echo);
    for (let crash = 0; crash < 3; crash += 1) {
      await claim(runId);
      await expire(runId);
    }
    expect(await news()).toEqual([]);
    expect(await claim(runId)).toBeUndefined();
    expect(await getRun(acme, runId)).toMatchObject({ status: 'failed', reason: 'poison' });
    expect(await news()).toEqual([resourceChange('runs', runId)]);
  });
});

describe('a message', () => {
  it('is told of when it is accepted, when it is being sent, and when it was', async () => {
    const contact = await createContact(acme);
    await news();
    const { id } = await send(acme, { contact_id: contact.id });
    expect(await news()).toEqual([resourceChange('messages', id)]);
    const worker = here.app.get(MessageWorker, { strict: false });
    const [held] = await worker.claim(1, id);
    await worker.work(held!, AbortSignal.abort());
    expect((await getMessage(acme, id)).status).toBe('sending');
    expect(await news()).toEqual([resourceChange('messages', id)]);
    const done = worker.work(held!, live);
    await told.until(resourceChange('messages', id));
    await done;
    expect((await getMessage(acme, id)).status).toBe('sent');
    expect((await heard()).at(-1)).toEqual(resourceChange('messages', id));
  });

  it('is told of when it is canceled', async () => {
    const contact = await createContact(acme);
    const { id } = await send(acme, {
      contact_id: contact.id,
      scheduled_at: new Date(Date.now() + 60_000).toISOString(),
    });
    await news();
    await acme.call('cancel_message', { message_id: id });
    expect(await news()).toEqual([resourceChange('messages', id)]);
    await acme.call('cancel_message', { message_id: id });
    expect(await news()).toEqual([]);
  });
});

describe('a contact', () => {
  it('is told of when it is made, changed or deleted, and not when the change fails', async () => {
    const { id, email } = await createContact(acme);
    expect(await news()).toEqual([resourceChange('contacts', id)]);
    const other = await createContact(acme);
    await news();
    const changes: [string, object][] = [
      ['update_contact', { contact_id: id, first_name: 'Ada' }],
      ['create_contact', { email, last_name: 'Lovelace', on_conflict: 'update' }],
    ];
    for (const [tool, given] of changes) {
      await acme.call(tool, given);
      expect(await news()).toEqual([resourceChange('contacts', id)]);
    }
    expect((await acme.call('update_contact', { contact_id: id, email: other.email })).status).toBe(
      409,
    );
    expect(await news()).toEqual([]);
    await acme.call('delete_contact', { contact_id: id });
    expect(await news()).toEqual([resourceChange('contacts', id)]);
  });
});

describe('the API key', () => {
  it('is told of when it is made anew or revoked, and never what it is', async () => {
    await acme.fetch('/api/mcp/keys', { method: 'POST' });
    expect(await news()).toEqual([{ kind: 'keys' }]);
    await acme.fetch('/api/mcp/keys', { method: 'DELETE' });
    expect(await news()).toEqual([{ kind: 'keys' }]);
    await acme.fetch('/api/mcp/keys', { method: 'DELETE' });
    expect(await news()).toEqual([]);
  });
});
