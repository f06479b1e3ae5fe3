import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAILPOINTS } from '../../src/failpoints/failpoints.js';
import {
  ACCOUNT_SID,
  AUTH_TOKEN,
  type ProviderServer,
  startTwilio,
} from '../messaging/provider-server.js';
import { createContact, send } from '../messaging/support.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, getRun, trigger } from '../workflows/support/workflow-client.js';
import { BATCHES, HAS_ALL_FAILPOINTS, Stage } from './support/stage.js';

// Thorough tests wait until a lease of 15 s ends by itself, and sometimes until a second lease ends too.
const PATIENCE_MS = 60_000;
const TIMEOUT_MS = 180_000 * BATCHES.length;

const order = (step: string, tool: string, more: object = {}): object => ({
  id: step,
  tool,
  arguments: { subject: '{{ trigger.payload.order }}', ...more },
});

// A test leaves at most one worker behind, with `release`, and the next test starts with this worker. So no other
// worker claims a run of the test.
describe('a worker that dies or loses its lease', () => {
  let stage: Stage;
  let twilio: ProviderServer;
  let batch = 0;

  beforeAll(async () => {
    twilio = await startTwilio();
    stage = await Stage.set({ OUTBOUND_ALLOW: `127.0.0.1:${twilio.port}` });
  });
  afterAll(async () => {
    await stage.clear();
    await twilio.close();
  });

  const start = async (
    size: number,
    steps: object[],
  ): Promise<{ orders: string[]; runIds: string[] }> => {
    const { id } = await createWorkflow(stage.acme, steps);
    batch += 1;
    const orders = Array.from({ length: size }, (_, index) => `order-${batch}-${index}`);
    const runIds = await Promise.all(
      orders.map((value) => trigger(stage.acme, id, { order: value })),
    );
    return { orders, runIds };
  };
  const untilSucceeded = (runIds: string[]) =>
    waitFor(async () => {
      const left = await stage.query(
        `select from workflow_runs where id = any($1) and status <> 'succeeded'`,
        runIds,
      );
      return left.length === 0;
    }, PATIENCE_MS);
  const effects = async (orders: string[]): Promise<string[]> => {
    const rows = await stage.query<{ name: string }>(
      'select first_name as name from contacts where first_name = any($1) order by first_name',
      orders,
    );
    return rows.map(({ name }) => name);
  };
  const attempts = async (runId: string) =>
    (await getRun(stage.acme, runId)).steps.map((step) => step.attempts);

  it(
    'FP2: repeats a call and an e-mail once, with the same key, when the worker dies before their results are stored',
    async () => {
      for (const size of BATCHES) {
        const dying = await stage.start('worker', FAILPOINTS.FP2);
        const { orders, runIds } = await start(size, [order('call', 'sink_call')]);
        const contacts = [];
        for (let index = 0; index < size; index += 1)
          contacts.push(await createContact(stage.acme));
        const messages = await Promise.all(
          contacts.map((contact) => send(stage.acme, { contact_id: contact.id })),
        );
        await waitFor(() => dying.held.length === 2 * size);
        await dying.kill();
        await stage.endLeases();
        const next = await stage.start('worker');
        await untilSucceeded(runIds);
        for (const [index, subject] of orders.entries()) {
          const key = `${runIds[index]}:call`;
          const keys = (await stage.seen(subject)).map((entry) => entry.key);
          expect(keys).toEqual([keys[0], keys[0]]);
          expect(keys[0]).toMatch(new RegExp(`^${key}:[0-9a-f]{16}$`));
          expect(await attempts(runIds[index]!)).toEqual([2]);
        }
        await waitFor(async () => {
          const sent = await stage.query(
            `select from messages where id = any($1) and status = 'sent'`,
            messages.map(({ id }) => id),
          );
          return sent.length === size;
        }, PATIENCE_MS);
        for (const { email } of contacts) {
          const [first, second, ...more] = await stage.seen(email);
          expect(first?.key).toMatch(/^<.+@.+>$/);
          expect(second?.key).toBe(first?.key);
          expect(more).toEqual([]);
        }
        stage.release(next);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'FP3: writes nothing after it was stopped for longer than its lease',
    async () => {
      for (const size of BATCHES) {
        const zombie = await stage.start('worker', FAILPOINTS.FP3);
        const { orders, runIds } = await start(size, [order('effect', 'sink_effect')]);
        await waitFor(() => zombie.held.length === size);
        zombie.child.kill('SIGSTOP');
        await stage.endLeases();
        const successor = await stage.start('worker', FAILPOINTS.FP3);
        await waitFor(() => successor.held.length === size, PATIENCE_MS);
        zombie.child.kill('SIGCONT');
        zombie.open();
        expect(await zombie.stop()).toBe(0);
        expect(await effects(orders)).toEqual([]);
        expect(await stage.query('select from run_steps where run_id = any($1)', runIds)).toEqual(
          [],
        );
        successor.open();
        await untilSucceeded(runIds);
        expect(await effects(orders)).toEqual([...orders].sort());
        stage.release(successor);
      }
    },
    TIMEOUT_MS,
  );

  if (!HAS_ALL_FAILPOINTS) return;

  it(
    'FP2: never repeats an SMS when the worker dies before the result is stored, and the message becomes uncertain',
    async () => {
      for (const size of BATCHES) {
        const dying = await stage.start('worker', FAILPOINTS.FP2);
        await stage.acme.call('create_channel_provider', {
          channel: 'sms',
          kind: 'twilio',
          settings: { account_sid: ACCOUNT_SID, from: 'Acme', base_url: twilio.url },
          secret: AUTH_TOKEN,
        });
        const before = twilio.requests.length;
        const messages: string[] = [];
        for (let index = 0; index < size; index += 1) {
          batch += 1;
          const phone = `+4930123456${String(batch).padStart(2, '0')}`;
          const contact = await createContact(stage.acme, { phone });
          const given = { contact_id: contact.id, channel: 'sms', subject: undefined };
          messages.push((await send(stage.acme, given)).id);
        }
        await waitFor(() => dying.held.length === size);
        await dying.kill();
        await stage.endLeases();
        const next = await stage.start('worker');
        await waitFor(async () => {
          const found = await stage.query(
            `select from messages
             where id = any($1) and status = 'uncertain' and reason_code = 'no_outcome'`,
            messages,
          );
          return found.length === size;
        }, PATIENCE_MS);
        expect(twilio.requests).toHaveLength(before + size);
        stage.release(next);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'FP4: stops writing when it cannot renew its lease, and another worker continues the run',
    async () => {
      for (const size of BATCHES) {
        const cut = await stage.start('worker', FAILPOINTS.FP4);
        const { orders, runIds } = await start(size, [
          order('call', 'sink_call', { hold: true }),
          order('after', 'sink_effect'),
        ]);
        await waitFor(() => cut.held.length > 0);
        // Waits until every call has begun. Otherwise the first attempt of a run would end here without a call.
        for (const subject of orders)
          await waitFor(async () => (await stage.seen(subject)).length === 1);
        await stage.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and application_name like 'switchboard%'`,
        );
        const next = await stage.start('worker');
        await stage.endLeases();
        await untilSucceeded(runIds);
        cut.open();
        await stage.releaseCalls();
        expect(await cut.stop()).toBe(0);
        expect(await effects(orders)).toEqual([...orders].sort());
        for (const [index, subject] of orders.entries()) {
          const key = `${runIds[index]}:call`;
          const keys = (await stage.seen(subject)).map((entry) => entry.key);
          expect(keys).toEqual([keys[0], keys[0]]);
          expect(keys[0]).toMatch(new RegExp(`^${key}:[0-9a-f]{16}$`));
          expect(await attempts(runIds[index]!)).toEqual([2, 1]);
        }
        stage.release(next);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'FP5: ends a run once, and executes its last step once, when the worker dies before it ends the run',
    async () => {
      for (const size of BATCHES) {
        const dying = await stage.start('worker', FAILPOINTS.FP5);
        const { orders, runIds } = await start(size, [order('effect', 'sink_effect')]);
        await waitFor(() => dying.held.length === size);
        await dying.kill();
        await stage.endLeases();
        expect(await effects(orders)).toEqual([]);
        const next = await stage.start('worker');
        await untilSucceeded(runIds);
        expect(await effects(orders)).toEqual([...orders].sort());
        for (const runId of runIds) expect(await attempts(runId)).toEqual([1]);
        stage.release(next);
      }
    },
    TIMEOUT_MS,
  );
});
