import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ChangeOrGap, resourceChange } from '../../src/changes/change-feed.js';
import { MessageWorker } from '../../src/messaging/message.worker.js';
import { RunWorker } from '../../src/workflows/engine/run.worker.js';
import { createContact, getMessage, send } from '../messaging/support.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { sample } from '../support/thorough.js';
import { ProbeTools } from '../workflows/support/probe.tools.js';
import {
  createWorkflow,
  getRun,
  postWebhook,
  trigger,
} from '../workflows/support/workflow-client.js';
import { ChangeRecorder } from './change-recorder.js';

// The tests act as the workers of one process. Another process records the changes that this process publishes.
let here: Switchboard;
let there: Switchboard;
let acme: TestOrganization;
let globex: TestOrganization;
let recorder: ChangeRecorder;
let globexChanges: ChangeRecorder;
beforeAll(async () => {
  here = await startSwitchboard({ env: { ROLE: 'web' }, providers: [ProbeTools] });
  there = await startSwitchboard({ env: { ROLE: 'web' }, databaseUrl: here.databaseUrl });
  acme = await createOrganization(here);
  globex = await createOrganization(here);
  recorder = await ChangeRecorder.start(there, acme.id);
  globexChanges = await ChangeRecorder.start(there, globex.id);
  // The change of the new API key may arrive late. It must not count as a change of the test.
  await globexChanges.takeAll(here, globex.id);
});
beforeEach(() => takeDistinct());
afterAll(async () => {
  expect(await globexChanges.takeAll(here, globex.id)).toEqual([]);
  recorder.close();
  globexChanges.close();
  await there.close();
  await here.close();
});

/**
 * Returns the changes since the last call, without changes of the delivery log. The log is written some time after the
 * webhook, perhaps during a later test. Another test covers the changes of the log.
 */
const takeChanges = async (): Promise<ChangeOrGap[]> =>
  (await recorder.takeAll(here, acme.id)).filter(
    (one) => !JSON.stringify(one).includes('/deliveries'),
  );
/** Returns the changes since the last call, each once. */
const takeDistinct = async (): Promise<unknown[]> =>
  [...new Set((await takeChanges()).map((one) => JSON.stringify(one)))].map(
    (one) => JSON.parse(one) as unknown,
  );
const live = new AbortController().signal;

describe('a run', () => {
  const claim = async (runId: string) =>
    (await here.app.get(RunWorker, { strict: false }).claim(1, runId))[0]!;
  const work = (claimed: Awaited<ReturnType<typeof claim>>, signal = live) =>
    here.app.get(RunWorker, { strict: false }).work(claimed, signal);
  const expire = (runId: string) =>
    here.ownerQuery(`update workflow_runs set available_at = now() where id = $1`, [runId]);
  const start = async (...steps: object[]): Promise<string> => {
    const workflow = await createWorkflow(acme, steps);
    const runId = await trigger(acme, workflow.id);
    await takeDistinct();
    return runId;
  };
  const echo = { id: 'a', tool: 'probe_echo', arguments: { value: {} } };

  it('is published when it starts, and not again when its start is repeated with the same idempotency key', async () => {
    const workflow = await createWorkflow(acme, [echo]);
    await takeDistinct();
    const { body } = await postWebhook(here, workflow.id, {}, { 'Idempotency-Key': 'once' });
    expect(await takeDistinct()).toEqual([resourceChange('runs', body.runId)]);
    await postWebhook(here, workflow.id, {}, { 'Idempotency-Key': 'once' });
    expect(await takeDistinct()).toEqual([]);
  });

  it('is published when a worker claims it, and when the worker releases it', async () => {
    const runId = await start(echo);
    const held = await claim(runId);
    await work(held, AbortSignal.abort());
    expect(await takeDistinct()).toEqual([resourceChange('runs', runId)]);
    await here.app.get(RunWorker, { strict: false }).release([held]);
    expect((await getRun(acme, runId)).status).toBe('queued');
    expect(await takeDistinct()).toEqual([resourceChange('runs', runId)]);
  });

  it.each(
    sample(
      [
        ['succeeds', [echo], 'succeeded'],
        [
          'fails',
          [{ id: 'a', tool: 'probe_fail', arguments: { name: 'x', code: 'conflict' } }],
          'failed',
        ],
        ['waits', [{ id: 'a', wait: { days: 1 } }], 'waiting'],
        [
          'waits for a retry',
          [{ id: 'a', tool: 'probe_fail', arguments: { name: 'x', code: 'unavailable' } }],
          'waiting',
        ],
      ],
      2,
    ),
  )('is published when it %s', async (_case, steps, status) => {
    const runId = await start(...steps);
    const held = await claim(runId);
    // The claim publishes a change too, which is removed here.
    await work(held, AbortSignal.abort());
    await takeDistinct();
    const done = work(held);
    await done;
    expect((await getRun(acme, runId)).status).toBe(status);
    const all = await takeChanges();
    expect(all.length).toBeGreaterThan(1);
    expect(new Set(all.map((one) => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify(resourceChange('runs', runId))]),
    );
  });

  it('is published while a step calls an external system', async () => {
    ProbeTools.hold('recorder outside');
    const runId = await start({
      id: 'a',
      tool: 'probe_outside',
      arguments: { name: 'recorder outside' },
    });
    const done = work(await claim(runId));
    await recorder.waitFor(resourceChange('runs', runId));
    await recorder.waitFor(resourceChange('runs', runId));
    ProbeTools.open('recorder outside');
    await recorder.waitFor(resourceChange('runs', runId));
    await done;
  });

  it('is published when it is canceled, and when it is retried', async () => {
    const runId = await start(echo);
    await acme.call('cancel_run', { run_id: runId });
    expect(await takeDistinct()).toEqual([resourceChange('runs', runId)]);
    await acme.call('cancel_run', { run_id: runId });
    expect(await takeDistinct()).toEqual([]);
    await acme.call('retry_run', { run_id: runId });
    expect(await takeDistinct()).toEqual([resourceChange('runs', runId)]);
  });

  it('is published by the database when it is parked after three crashes', async () => {
    const runId = await start(echo);
    for (let crash = 0; crash < 3; crash += 1) {
      await claim(runId);
      await expire(runId);
    }
    expect(await takeDistinct()).toEqual([]);
    expect(await claim(runId)).toBeUndefined();
    expect(await getRun(acme, runId)).toMatchObject({ status: 'failed', reason: 'poison' });
    expect(await takeDistinct()).toEqual([resourceChange('runs', runId)]);
  });
});

describe('a message', () => {
  it('is published when it is accepted, when a worker puts it back into the queue, and when it was sent', async () => {
    const contact = await createContact(acme);
    await takeDistinct();
    const { id } = await send(acme, { contact_id: contact.id });
    expect(await takeDistinct()).toEqual([resourceChange('messages', id)]);
    const worker = here.app.get(MessageWorker, { strict: false });
    const [held] = await worker.claim(1, id);
    await worker.work(held!, AbortSignal.abort());
    expect((await getMessage(acme, id)).status).toBe('queued');
    expect(await takeDistinct()).toEqual([resourceChange('messages', id)]);
    const done = worker.work(held!, live);
    await recorder.waitFor(resourceChange('messages', id));
    await done;
    expect((await getMessage(acme, id)).status).toBe('sent');
    expect((await takeChanges()).at(-1)).toEqual(resourceChange('messages', id));
  });

  it('is published when it is canceled', async () => {
    const contact = await createContact(acme);
    const { id } = await send(acme, {
      contact_id: contact.id,
      scheduled_at: new Date(Date.now() + 60_000).toISOString(),
    });
    await takeDistinct();
    await acme.call('cancel_message', { message_id: id });
    expect(await takeDistinct()).toEqual([resourceChange('messages', id)]);
    await acme.call('cancel_message', { message_id: id });
    expect(await takeDistinct()).toEqual([]);
  });
});

describe('a contact', () => {
  it('is published when it is created, changed or deleted, and not when the change fails', async () => {
    const { id, email } = await createContact(acme);
    expect(await takeDistinct()).toEqual([resourceChange('contacts', id)]);
    const other = await createContact(acme);
    await takeDistinct();
    const changes: [string, object][] = [
      ['update_contact', { contact_id: id, first_name: 'Ada' }],
      ['create_contact', { email, last_name: 'Lovelace', on_conflict: 'update' }],
    ];
    for (const [tool, given] of changes) {
      await acme.call(tool, given);
      expect(await takeDistinct()).toEqual([resourceChange('contacts', id)]);
    }
    expect((await acme.call('update_contact', { contact_id: id, email: other.email })).status).toBe(
      409,
    );
    expect(await takeDistinct()).toEqual([]);
    await acme.call('delete_contact', { contact_id: id });
    expect(await takeDistinct()).toEqual([resourceChange('contacts', id)]);
  });
});

describe('the API key', () => {
  it('is published when it is created or revoked, without the key itself', async () => {
    await acme.fetch('/api/mcp/keys', { method: 'POST' });
    expect(await takeDistinct()).toEqual([{ kind: 'keys' }]);
    await acme.fetch('/api/mcp/keys', { method: 'DELETE' });
    expect(await takeDistinct()).toEqual([{ kind: 'keys' }]);
    await acme.fetch('/api/mcp/keys', { method: 'DELETE' });
    expect(await takeDistinct()).toEqual([]);
  });
});
