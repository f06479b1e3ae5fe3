import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAILPOINTS } from '../../src/failpoints/failpoints.js';
import { createOrganization } from '../support/organization.js';
import type { Switchboard } from '../support/switchboard.js';
import { IS_THOROUGH } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, postWebhook } from '../workflows/support/workflow-client.js';
import { BATCHES, HAS_ALL_FAILPOINTS, Stage, type StagedProcess } from './support/stage.js';

const drivers: [string, Record<string, string>][] = [['PostgreSQL', {}]];
// `npm test` leaves out Bull here. It tests lost wake-ups of Bull in test/queue/bull-wake-ups.
if (process.env.TEST_REDIS_URL && IS_THOROUGH) {
  drivers.push(['Bull', { REDIS_URL: process.env.TEST_REDIS_URL }]);
}

const TIMEOUT_MS = 120_000 * BATCHES.length;

describe.each(drivers)('a web process that dies, with wake-ups through %s', (_name, driver) => {
  let stage: Stage;
  let workflowId: string;
  /**
   * The id of a workflow with a limit that is never reached. Its runs are inserted before the commit, so FP1b applies.
   */
  let limitedId: string;
  let worker: StagedProcess;
  let batch = 0;

  beforeAll(async () => {
    stage = await Stage.set(driver);
    worker = await stage.start('worker');
    const steps = [
      { id: 'a', tool: 'sink_effect', arguments: { subject: '{{ trigger.payload.order }}' } },
    ];
    workflowId = (await createWorkflow(stage.acme, steps)).id;
    const trigger = { type: 'webhook', limits: { concurrency: { runs: 1000 } } };
    limitedId = (await createWorkflow(stage.acme, steps, { trigger })).id;
  });
  afterAll(async () => {
    await worker.stop();
    await stage.clear();
  });

  const ordersOf = (size: number): string[] => {
    batch += 1;
    return Array.from({ length: size }, (_, index) => `order-${batch}-${index}`);
  };
  const post = ({ url }: StagedProcess, order: string, id = workflowId) =>
    postWebhook({ url } as Switchboard, id, { order }, { 'Idempotency-Key': order });
  const postLimited = (process: StagedProcess, order: string) => post(process, order, limitedId);
  const runs = (orders: string[]) =>
    stage.query<{ id: string; status: string }>(
      'select id, status from workflow_runs where dedupe_key = any($1)',
      orders,
    );
  const untilDone = (orders: string[]) =>
    waitFor(async () => {
      const found = await runs(orders);
      return found.length >= orders.length && found.every(({ status }) => status === 'succeeded');
    });
  /** Returns the number of transactions that wait for a lock. */
  const countWaiting = async (): Promise<number> => {
    const [row] = await stage.query<{ count: number }>(
      `select count(*)::integer from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return row!.count;
  };
  const expectOneEffectEach = async (orders: string[]): Promise<void> => {
    const effects = await stage.query<{ first_name: string }>(
      'select first_name from contacts where first_name = any($1) order by first_name',
      orders,
    );
    expect(effects.map((effect) => effect.first_name)).toEqual([...orders].sort());
    expect(await runs(orders)).toHaveLength(orders.length);
  };

  it(
    'FP1: loses no acknowledged run, although it woke no worker',
    async () => {
      for (const size of BATCHES) {
        const web = await stage.start('web', FAILPOINTS.FP1);
        const orders = ordersOf(size);
        const answers = await Promise.all(orders.map((order) => post(web, order)));
        expect(answers.map(({ status }) => status)).toEqual(orders.map(() => 202));
        await waitFor(() => web.held.length === size);
        await web.kill();
        await untilDone(orders);
        await expectOneEffectEach(orders);
      }
    },
    TIMEOUT_MS,
  );

  if (!HAS_ALL_FAILPOINTS) return;

  it(
    'FP1c: a retry gets the run that was committed and not acknowledged',
    async () => {
      for (const size of BATCHES) {
        const web = await stage.start('web', FAILPOINTS.FP1c);
        const orders = ordersOf(size);
        const answers = Promise.allSettled(orders.map((order) => post(web, order)));
        await waitFor(() => web.held.length === size);
        await web.kill();
        expect((await answers).map(({ status }) => status)).toEqual(orders.map(() => 'rejected'));
        const again = await Promise.all(orders.map((order) => post(stage.web, order)));
        expect(again.map(({ body }) => body.duplicate)).toEqual(orders.map(() => true));
        expect(again.map(({ body }) => body.runId).sort()).toEqual([...web.held].sort());
        await untilDone(orders);
        await expectOneEffectEach(orders);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'FP1b: neither acknowledges nor stores a run that it did not commit',
    async () => {
      for (const size of BATCHES) {
        const web = await stage.start('web', FAILPOINTS.FP1b);
        const orders = ordersOf(size);
        const answers = Promise.allSettled(orders.map((order) => postLimited(web, order)));
        await waitFor(() => web.held.length === size);
        await web.kill();
        expect((await answers).map(({ status }) => status)).toEqual(orders.map(() => 'rejected'));
        // The server ends the transactions when it notices the closed connection. A retry waits until then.
        expect(await runs(orders)).toEqual([]);
        const again = await Promise.all(orders.map((order) => postLimited(stage.web, order)));
        expect(again.map(({ status }) => status)).toEqual(orders.map(() => 202));
        await untilDone(orders);
        await expectOneEffectEach(orders);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'FP1b: lets a delivery with the same key wait until the first delivery ends, in any process',
    async () => {
      for (const size of BATCHES) {
        const [first, second] = [await stage.start('web', FAILPOINTS.FP1b), stage.web];
        await second.arm(FAILPOINTS.FP1b);
        const orders = ordersOf(size);
        const answers = orders.map((order) => postLimited(first, order));
        await waitFor(() => first.held.length === size);
        const repeated = orders.map((order) => postLimited(second, order));
        // Wait until the second process is blocked by the transactions of the first, or has reached its own commit, which
        // is a fault. One transaction can have several deliveries, so no fixed number of transactions is expected.
        await waitFor(async () => (await countWaiting()) > 0 || second.held.length > 0);
        expect(second.held).toEqual([]);
        first.open();
        const firstAnswers = await Promise.all(answers);
        const repeatedAnswers = await Promise.all(repeated);
        expect(repeatedAnswers.map(({ body }) => body.duplicate)).toEqual(orders.map(() => true));
        expect(repeatedAnswers.map(({ body }) => body.runId)).toEqual(
          firstAnswers.map(({ body }) => body.runId),
        );
        await untilDone(orders);
        await expectOneEffectEach(orders);
        second.open();
        stage.release(first);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'starts one run for each repeated delivery after the process died during the statement that stores the runs',
    async () => {
      for (const size of BATCHES) {
        const web = await stage.start('web');
        // This delivery fills the process's cache of webhooks.
        const [known, ...orders] = ordersOf(size + 1);
        expect(await post(web, known!)).toMatchObject({ status: 202 });
        await stage.query('begin');
        await stage.query('lock table workflow_runs in exclusive mode');
        const answers = Promise.allSettled(orders.map((order) => post(web, order)));
        await waitFor(async () => {
          // Inside a transaction, pg_stat_activity repeats its first result until the snapshot is cleared.
          await stage.query('select pg_stat_clear_snapshot()');
          const inserts = await stage.query(
            `select from pg_stat_activity where datname = current_database()
             and wait_event_type = 'Lock' and query like 'insert into workflow_runs%'`,
          );
          return inserts.length > 0;
        });
        await web.kill();
        await stage.query('commit');
        expect((await answers).map(({ status }) => status)).toEqual(orders.map(() => 'rejected'));
        // The server executes the statement although the client has disconnected.
        await waitFor(async () => (await runs(orders)).length > 0);
        const again = await Promise.all(orders.map((order) => post(stage.web, order)));
        expect(again.some(({ body }) => body.duplicate)).toBe(true);
        await untilDone(orders);
        await expectOneEffectEach(orders);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'FP6: leaves exactly one valid key when the process dies before it can answer a rotation',
    async () => {
      for (const size of BATCHES) {
        const web = await stage.start('web', FAILPOINTS.FP6);
        const organizations = [];
        for (let index = 0; index < size; index += 1) {
          organizations.push(await createOrganization(stage.web));
        }
        const rotations = Promise.allSettled(
          organizations.map(({ cookie }) =>
            fetch(`${web.url}/api/mcp/keys`, {
              method: 'POST',
              headers: { Cookie: cookie, Origin: web.url },
            }),
          ),
        );
        await waitFor(() => web.held.length === size);
        await web.kill();
        expect((await rotations).map(({ status }) => status)).toEqual(
          organizations.map(() => 'rejected'),
        );
        for (const organization of organizations) {
          // Nobody has the new key, and the old one is revoked. The person creates another key.
          const answer = await organization.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
          expect(answer.status).toBe(401);
          const active = await stage.query(
            'select from api_keys where organization_id = $1 and revoked_at is null',
            organization.id,
          );
          expect(active).toHaveLength(1);
          const again = await organization.fetch('/api/mcp/keys', { method: 'POST' });
          expect(again.status).toBe(201);
        }
      }
    },
    TIMEOUT_MS,
  );
});
