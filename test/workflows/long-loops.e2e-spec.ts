import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunWorker } from '../../src/workflows/engine/run.worker.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { PageTools } from './support/page.tools.js';
import { ProbeEffectTools, ProbeTools } from './support/probe.tools.js';
import { createWorkflow, getRun, type RunShape, trigger } from './support/workflow-client.js';

const pagesOf = (total: number, size: number) => ({
  pages: [
    {
      id: 'read',
      tool: 'probe_page',
      arguments: { total, size, cursor: '{{ cursor }}' },
    },
  ],
  next: '{{ read.next }}',
  for_each: '{{ read.numbers }}',
});
const echo = (value: object) => ({ id: 'x', tool: 'probe_echo', arguments: { value } });
const effect = (name: string) => ({ id: 'x', tool: 'probe_effect', arguments: { name } });

// No worker runs here: the test acts as all workers, so that each can die at an exact moment.
describe('a loop with folded iterations', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let worker: RunWorker;

  beforeAll(async () => {
    switchboard = await startSwitchboard({
      env: { ROLE: 'web' },
      providers: [ProbeTools, ProbeEffectTools, PageTools],
    });
    acme = await createOrganization(switchboard);
    worker = switchboard.app.get(RunWorker, { strict: false });
  });
  afterAll(() => switchboard.close());

  const start = async (steps: object[], payload: object = {}) =>
    await trigger(acme, (await createWorkflow(acme, steps)).id, payload);
  const work = async (runId: string, signal = new AbortController().signal) => {
    const [claim] = await worker.claim(1, runId);
    await worker.work(claim!, signal);
  };
  const run = async (...steps: object[]): Promise<RunShape> => {
    const runId = await start(steps);
    await work(runId);
    return await getRun(acme, runId);
  };
  const rows = async (runId: string) =>
    (
      await switchboard.ownerQuery<{ step_id: string }>(
        'select step_id from run_steps where run_id = $1 order by position',
        [runId],
      )
    ).map((row) => row.step_id);
  const expire = (runId: string) =>
    switchboard.ownerQuery('update workflow_runs set available_at = now() where id = $1', [runId]);
  const effects = async (prefix: string) =>
    (
      await switchboard.ownerQuery<{ first_name: string }>(
        'select first_name from contacts where starts_with(first_name, $1)',
        [prefix],
      )
    )
      .map((row) => row.first_name)
      .toSorted();
  const stepOf = (ended: RunShape, id: string) => ended.steps.find((step) => step.id === id)!;

  it('runs over the items of all pages, and keeps one row', async () => {
    const ended = await run(
      { id: 'each', ...pagesOf(230, 100), steps: [echo({ n: '{{ item }}', at: '{{ index }}' })] },
      { id: 'after', tool: 'probe_echo', arguments: { value: { count: '{{ each.count }}' } } },
    );
    expect(ended.status).toBe('succeeded');
    expect(await rows(ended.id)).toEqual(['each', 'after']);
    const results = Array.from({ length: 230 }, (_, n) => ({ value: { n, at: n } }));
    expect(stepOf(ended, 'each').output).toEqual({ count: 230, failed: 0, results, failures: [] });
    expect(stepOf(ended, 'after').output).toEqual({ value: { count: 230 } });
    expect(PageTools.cursors).toEqual([0, 100, 200]);
  });

  it('gives its steps the items of each page in batches', async () => {
    const ended = await run({
      id: 'each',
      ...pagesOf(25, 15),
      batch: 10,
      output: '{{ item.size }}',
      steps: [echo({ first: '{{ item[0] }}' })],
    });
    expect(stepOf(ended, 'each').output).toMatchObject({ count: 3, results: [10, 5, 10] });
  });

  it('ends after a page without items and without a next page', async () => {
    const ended = await run({ id: 'each', ...pagesOf(0, 10), steps: [echo({})] });
    expect(ended.status).toBe('succeeded');
    expect(stepOf(ended, 'each').output).toMatchObject({ count: 0, results: [] });
  });

  it('keeps no results if it has more than 1,000 items, and a step that reads the results fails with an explanation', async () => {
    const loop = {
      id: 'each',
      ...pagesOf(1001, 600),
      batch: 1,
      steps: [{ id: 's', set: { a: 1 } }],
    };
    const reading = {
      id: 'after',
      tool: 'probe_echo',
      arguments: { value: { all: '{{ each.results }}' } },
    };
    const ended = await run(loop, reading);
    expect(ended.reason).toBe('step_failed:after');
    expect(stepOf(ended, 'each').output).toMatchObject({ count: 1001, results: null });
    expect(stepOf(ended, 'after').error!.message).toBe(
      'The loop each has 1001 items, and at most 1000 results are kept.',
    );
  });

  it('counts the items with a failed step, and keeps their errors', async () => {
    for (let n = 0; n < 70; n += 1) if (n !== 3 && n !== 64) ProbeTools.failures.set(`f${n}`, 0);
    const fails = {
      id: 'fails',
      tool: 'probe_fail',
      arguments: { name: 'f{{ item }}', code: 'conflict' },
      on_error: 'continue',
    };
    const ended = await run({ id: 'each', ...pagesOf(70, 40), steps: [fails] });
    expect(ended.status).toBe('succeeded');
    const failureOf = (index: number) => ({
      index,
      step: `each[${index}].fails`,
      code: 'conflict',
      message: 'Told to fail.',
    });
    const failures = [failureOf(3), failureOf(64)];
    expect(stepOf(ended, 'each')).toMatchObject({
      output: { count: 70, failed: 2, failures },
      progress: { done: 70, pages: 2, failed: 2, failures },
    });
  });

  it('folds an inner loop, and counts an item as failed when the inner loop had failures', async () => {
    const inner = {
      id: 'inner',
      for_each: [1, 2, 3],
      as: 'part',
      steps: [
        {
          id: 'fails',
          tool: 'probe_fail',
          if: 'item == 1 and part == 2',
          arguments: { name: 'inner', code: 'conflict' },
          on_error: 'continue',
        },
      ],
    };
    const ended = await run({ id: 'each', ...pagesOf(3, 2), steps: [inner] });
    expect(await rows(ended.id)).toEqual(['each']);
    const message = '1 items failed.';
    expect(stepOf(ended, 'each').output).toMatchObject({
      failed: 1,
      failures: [{ index: 1, step: 'each[1].inner', code: 'items_failed', message }],
      results: [{ count: 3, failed: 0 }, { failed: 1 }, { failed: 0 }],
    });
  });

  it('shows its progress, limits its rows, and continues at the same item after a crash', async () => {
    ProbeTools.hold('e90');
    const loop = {
      id: 'each',
      ...pagesOf(120, 70),
      concurrency: 3,
      steps: [effect('e{{ item }}')],
    };
    const runId = await start([loop]);
    const died = new AbortController();
    const zombie = work(runId, died.signal);
    // Three items run at the same time. While item 90 waits, other items continue until the end of the window.
    await waitFor(() => ProbeTools.count('e90') === 1);
    died.abort();
    ProbeTools.open('e90');
    await zombie;
    const before = await getRun(acme, runId);
    const { done } = stepOf(before, 'each').progress as { done: number };
    expect(done).toBeGreaterThanOrEqual(70);
    expect(done).toBeLessThanOrEqual(90);
    expect((await rows(runId)).length).toBeLessThanOrEqual(101);
    expect(await rows(runId)).not.toContain('each[0].x');
    const pages = PageTools.cursors.length;
    await expire(runId);
    await work(runId);
    const ended = await getRun(acme, runId);
    expect(ended.status).toBe('succeeded');
    expect(await effects('e')).toEqual(Array.from({ length: 120 }, (_, n) => `e${n}`).toSorted());
    expect(PageTools.cursors).toHaveLength(pages);
  });

  it('continues at the failed item when the run is retried', async () => {
    for (let n = 0; n < 90; n += 1) if (n !== 80) ProbeTools.failures.set(`r${n}`, 0);
    ProbeTools.failures.set('r80', 1);
    const fails = {
      id: 'x',
      tool: 'probe_fail',
      arguments: { name: 'r{{ item }}', code: 'conflict' },
    };
    const runId = await start([{ id: 'each', ...pagesOf(90, 45), steps: [fails] }]);
    await work(runId);
    expect((await getRun(acme, runId)).reason).toBe('step_failed:each[80].x');
    await acme.call('retry_run', { run_id: runId });
    await work(runId);
    expect((await getRun(acme, runId)).status).toBe('succeeded');
    expect([0, 44, 45, 79, 80, 89].map((n) => ProbeTools.count(`r${n}`))).toEqual([
      1, 1, 1, 1, 2, 1,
    ]);
  });

  it('fails at a page whose cursor does not change, and continues there when the run is retried', async () => {
    const next = '{{ read.next | at_most: 40 }}';
    const loop = { id: 'each', ...pagesOf(80, 20), next, steps: [effect('same{{ item }}')] };
    const workflow = await createWorkflow(acme, [loop]);
    const runId = await trigger(acme, workflow.id);
    await work(runId);
    const failed = await getRun(acme, runId);
    expect(failed.reason).toBe('step_failed:each');
    expect(stepOf(failed, 'each').error!.message).toBe(
      'The expression "next" returned the cursor of this page again.',
    );
    const steps = [{ ...loop, next: '{{ read.next }}' }];
    const { error } = await acme.call('update_workflow', { workflow_id: workflow.id, steps });
    expect(error).toBeUndefined();
    await acme.call('retry_run', { run_id: runId, version: 'latest' });
    await work(runId);
    expect((await getRun(acme, runId)).status).toBe('succeeded');
    expect(await effects('same')).toHaveLength(80);
  });

  it('can be a loop over a list, if its steps could need more than 10,000 rows', async () => {
    const inner = Array.from({ length: 11 }, (_, n) => ({ ...echo({}), id: `s${n}` }));
    const never = { id: 'never', if: 'item == 0', then: inner };
    const list = { id: 'read', tool: 'probe_page', arguments: { total: 900, size: 900 } };
    const loop = { id: 'each', for_each: '{{ read.numbers | slice: 1, 899 }}', steps: [never] };
    const ended = await run(list, loop);
    expect(await rows(ended.id)).toEqual(['read', 'each']);
    expect(stepOf(ended, 'each').progress).toMatchObject({ done: 899, total: 899 });
  });

  it('fails for a list of more than 100,000 items', async () => {
    const list = { id: 'read', tool: 'probe_page', arguments: { total: 100_001, size: 100_001 } };
    const ended = await run(list, {
      id: 'each',
      for_each: '{{ read.numbers }}',
      steps: [echo({})],
    });
    expect(stepOf(ended, 'each').error!.message).toBe(
      'for_each got 100001 items; the limit is 100000.',
    );
  });

  it('reports the path of each fault', async () => {
    const steps = [
      { id: 'a', ...pagesOf(1, 1), for_each: [1], next: undefined, steps: [echo({})] },
      { id: 'b', for_each: [1], next: '{{ x }}', batch: 0, steps: [{ ...echo({}), id: 'y' }] },
    ];
    const trigger = { type: 'manual' };
    const { error } = await acme.call('create_workflow', { name: 'Wrong', trigger, steps });
    expect(error!.details!.map(({ path, message }) => `${path} ${message}`)).toEqual([
      'steps[0].for_each must be an expression that returns the items of a page',
      'steps[0].next is required',
      'steps[1].next needs pages',
      'steps[1].batch must be a whole number from 1 to 1000',
    ]);
  });

  it('reports unknown names in the expressions of pages', async () => {
    const pages = [{ id: 'read', tool: 'probe_page', arguments: { total: '{{ item }}', size: 1 } }];
    const loop = {
      id: 'each',
      pages,
      next: '{{ read.following }}',
      for_each: '{{ other.numbers }}',
      steps: [echo({ a: '{{ read.numbers }}', b: '{{ cursor }}' })],
    };
    const given = { name: 'Wrong', trigger: { type: 'manual' }, steps: [loop] };
    const { error } = await acme.call('create_workflow', given);
    expect(error!.details!.map(({ path }) => path)).toEqual([
      'steps[0].pages[0].arguments.total',
      'steps[0].for_each',
      'steps[0].next',
      'steps[0].steps[0].arguments.value.a',
      'steps[0].steps[0].arguments.value.b',
    ]);
  });
});
