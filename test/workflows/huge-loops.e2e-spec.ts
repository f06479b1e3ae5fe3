import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sink, startSink } from '../outbound/support/sink.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { buildTree, startProcess, type SwitchboardProcess } from '../support/process.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, getRun, trigger } from './support/workflow-client.js';

const ITEMS = Number(process.env.TEST_LOOP_ITEMS ?? 100_000);
const PAGE = 1000;
/** After this number of items, a worker has loaded and compiled the code of the loop. */
const WARM = Math.min(5000, ITEMS / 4);
/**
 * The largest number of rows of a loop with one step: a window of 100 rows, the row of the loop, and rows of the
 * current page.
 */
const MAX_ROWS = 110;
const MiB = 1024 * 1024;

describe('a loop over 100,000 items', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let shop: Sink;
  const workers: SwitchboardProcess[] = [];

  beforeAll(async () => {
    buildTree();
    shop = await startSink('127.0.0.1', ({ path }, response) => {
      const from = Number(new URL(path, 'http://shop').searchParams.get('from'));
      const numbers = Array.from({ length: PAGE }, (_, index) => from + index);
      const next = from + PAGE < ITEMS ? from + PAGE : null;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ numbers, next }));
    });
    switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
    acme = await createOrganization(switchboard);
  }, 300_000);
  afterAll(async () => {
    for (const { child } of workers) child.kill('SIGKILL');
    await Promise.all(workers.map(({ exited }) => exited));
    await switchboard.close();
    await shop.close();
  });

  const startWorker = async (): Promise<SwitchboardProcess> => {
    const worker = startProcess({
      ROLE: 'worker',
      DATABASE_URL: switchboard.databaseUrl,
      DATA_DIR: switchboard.dataDir,
      OUTBOUND_ALLOW: `127.0.0.1:${shop.port}`,
      LOG_LEVEL: 'warn',
    });
    workers.push(worker);
    await worker.untilSaid(/worker is running/);
    return worker;
  };
  const rowsOf = async (runId: string): Promise<number> => {
    const [row] = await switchboard.ownerQuery<{ count: number }>(
      'select count(*)::integer as count from run_steps where run_id = $1',
      [runId],
    );
    return row!.count;
  };
  /**
   * Returns how many items are done. Throws when the run has failed, so that the test does not wait for the remaining
   * items.
   */
  const doneOf = async (runId: string): Promise<number> => {
    const [row] = await switchboard.ownerQuery<{ done: number; error: object | null }>(
      `select (progress ->> 'done')::integer as done, error from run_steps where run_id = $1 and step_id = 'each'`,
      [runId],
    );
    if (row?.error) throw new Error(JSON.stringify(row.error));
    return row?.done ?? 0;
  };
  const counts = async (): Promise<object> =>
    (
      await switchboard.ownerQuery<object>(
        `select (select count(*)::integer from contacts) as contacts,
           (select count(*)::integer from audit_log where action = 'create_contact') as calls`,
      )
    )[0]!;
  const memoryOf = async ({ child }: SwitchboardProcess): Promise<number> => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) * 1024;
  };

  it('continues after kill -9 at the same item, executes each item once, and limits rows and memory', async () => {
    const read = {
      id: 'read',
      tool: 'http_request',
      arguments: { url: `http://127.0.0.1:${shop.port}/?from={{ cursor | default: 0 }}` },
    };
    const make = { id: 'make', tool: 'create_contact', arguments: { external_id: 'n{{ item }}' } };
    const workflow = await createWorkflow(acme, [
      {
        id: 'each',
        pages: [read],
        next: '{{ read.body.json.next }}',
        for_each: '{{ read.body.json.numbers }}',
        steps: [make],
      },
    ]);
    const first = await startWorker();
    const runId = await trigger(acme, workflow.id);
    let mostRows = 0;
    const watch = async (): Promise<number> => {
      mostRows = Math.max(mostRows, await rowsOf(runId));
      return await doneOf(runId);
    };
    await waitFor(async () => (await watch()) >= ITEMS / 2, 1_200_000);
    first.child.kill('SIGKILL');
    await first.exited;
    const atCrash = await doneOf(runId);
    const pagesAtCrash = shop.requests.length;

    const second = await startWorker();
    await waitFor(async () => (await watch()) >= atCrash + WARM, 1_200_000);
    const warm = await memoryOf(second);
    let most = warm;
    const hasEnded = async (): Promise<boolean> => {
      most = Math.max(most, await memoryOf(second));
      await watch();
      return (await getRun(acme, runId)).finished_at !== null;
    };
    await waitFor(hasEnded, 1_200_000);

    const ended = await getRun(acme, runId);
    const growth = Math.round((most - warm) / MiB);
    process.stderr.write(`${ITEMS} items: at most ${mostRows} rows, memory +${growth} MiB\n`);
    expect(ended).toMatchObject({ status: 'succeeded', step_count: 1 });
    expect(ended.steps[0]!.output).toMatchObject({ count: ITEMS, failed: 0, results: null });
    expect(await counts()).toEqual({ contacts: ITEMS, calls: ITEMS });
    expect(mostRows).toBeLessThanOrEqual(MAX_ROWS);
    // A page that was being read at the crash is read again.
    expect(shop.requests.length).toBeLessThanOrEqual(ITEMS / PAGE + 1);
    expect(shop.requests.length - pagesAtCrash).toBeLessThanOrEqual(ITEMS / PAGE / 2 + 1);
    expect(growth).toBeLessThan(50);
  }, 3_600_000);
});
