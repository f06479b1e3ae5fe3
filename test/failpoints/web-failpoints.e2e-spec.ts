import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAILPOINTS } from '../../src/failpoints/failpoints.js';
import { createOrganization } from '../support/organization.js';
import { buildTree } from '../support/process.js';
import type { Switchboard } from '../support/switchboard.js';
import { IS_THOROUGH } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, postWebhook } from '../workflows/support/workflow-client.js';
import { BATCHES, Stage, type StagedProcess } from './support/stage.js';

const drivers: [string, Record<string, string>][] = [['PostgreSQL', {}]];
if (process.env.TEST_REDIS_URL) drivers.push(['Bull', { REDIS_URL: process.env.TEST_REDIS_URL }]);

const TIMEOUT_MS = 120_000 * BATCHES.length;

describe.each(drivers)('a web process that dies, with wake-ups through %s', (name, driver) => {
  let stage: Stage;
  let workflowId: string;
  /** Under a limit that nothing reaches, so all of its runs are inserted first and then committed. */
  let limitedId: string;
  let worker: StagedProcess;
  let batch = 0;

  beforeAll(async () => {
    buildTree();
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
  /** How many transactions wait for the end of another one. */
  const waiting = async (): Promise<number> => {
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
    'FP1: executes every run that it answered for and never woke a worker for',
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

  // The other failpoints are not about wake-ups.
  if (name !== 'PostgreSQL' && !IS_THOROUGH) return;

  it(
    'FP1b: neither answers for nor stores a run that it did not commit',
    async () => {
      for (const size of BATCHES) {
        const web = await stage.start('web', FAILPOINTS.FP1b);
        const orders = ordersOf(size);
        const answers = Promise.allSettled(orders.map((order) => postLimited(web, order)));
        await waitFor(() => web.held.length === size);
        await web.kill();
        expect((await answers).map(({ status }) => status)).toEqual(orders.map(() => 'rejected'));
        // Its transactions end when the server notices, and until then a retry would wait for them.
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
    'FP1b: lets a delivery with the same key wait until the first one ends, in whichever process',
    async () => {
      for (const size of BATCHES) {
        const [first, second] = [await stage.start('web', FAILPOINTS.FP1b), stage.web];
        await second.arm(FAILPOINTS.FP1b);
        const orders = ordersOf(size);
        const answers = orders.map((order) => postLimited(first, order));
        await waitFor(() => first.held.length === size);
        const repeated = orders.map((order) => postLimited(second, order));
        // Either the second process waits for the transactions of the first, or it gets to where it would commit too.
        // It puts several deliveries into one transaction, so nobody can tell how many of its transactions wait.
        await waitFor(async () => (await waiting()) > 0 || second.held.length > 0);
        expect(second.held).toEqual([]);
        first.open();
        const told = await Promise.all(answers);
        const toldAgain = await Promise.all(repeated);
        expect(toldAgain.map(({ body }) => body.duplicate)).toEqual(orders.map(() => true));
        expect(toldAgain.map(({ body }) => body.runId)).toEqual(told.map(({ body }) => body.runId));
        await untilDone(orders);
        await expectOneEffectEach(orders);
        second.open();
        stage.release(first);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'starts one run of each delivery when it dies while the statement that stores them is under way',
    async () => {
      for (const size of BATCHES) {
        const web = await stage.start('web');
        // From now on it remembers the webhook, and commits with the statement that inserts.
        const [known, ...orders] = ordersOf(size + 1);
        expect(await post(web, known!)).toMatchObject({ status: 202 });
        await stage.query('begin');
        await stage.query('lock table workflow_runs in exclusive mode');
        const answers = Promise.allSettled(orders.map((order) => post(web, order)));
        await waitFor(async () => {
          // Within a transaction it would see the same activity again and again.
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
        // The server carries out what it has been sent, although nobody is there to be told.
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
    'FP1c: answers a retry with the run that it committed and did not answer for',
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
    'FP6: leaves one key that works when it dies in the middle of a rotation',
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
          const answer = await organization.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
          expect(answer.status).toBe(200);
          const active = await stage.query(
            'select from api_keys where organization_id = $1 and revoked_at is null',
            organization.id,
          );
          expect(active).toHaveLength(1);
        }
      }
    },
    TIMEOUT_MS,
  );
});
