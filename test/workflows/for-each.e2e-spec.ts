import type { ServerResponse } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedSink } from '../outbound/support/shared-sink.js';
import type { Sink } from '../outbound/support/sink.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { itSlow, sample } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import {
  createWorkflow,
  endWaits,
  getRun,
  type RunShape,
  runToEnd,
  runUntil,
  trigger,
  withoutDigest,
} from './support/workflow-client.js';
import { ProbeTools } from './support/probe.tools.js';

const ITEMS = '{{ trigger.payload.items }}';
const echo = (id: string, value: object, more: object = {}) => ({
  id,
  tool: 'probe_echo',
  arguments: { value },
  ...more,
});
/** Returns a step that fails for each item as often as `ProbeTools.failures` says, and then succeeds. */
const flaky = (id: string, more: object = {}) => ({
  id,
  tool: 'probe_fail',
  arguments: { name: '{{ item }}', code: 'conflict' },
  ...more,
});
const outside = (id: string) => ({
  id,
  tool: 'probe_outside',
  arguments: { name: '{{ item }}' },
});
const effect = (id: string) => ({ id, tool: 'probe_effect', arguments: { name: '{{ item }}' } });
const each = (steps: object[], more: object = {}) => ({
  id: 'each',
  for_each: ITEMS,
  steps,
  ...more,
});

describe('for_each', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;
  let shop: Sink;
  /** The requests that have no response yet. */
  const open: ServerResponse[] = [];

  beforeAll(async () => {
    shop = await sharedSink((_request, response) => void open.push(response));
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  const start = async (steps: object[], payload: object = {}): Promise<string> =>
    await trigger(acme, (await createWorkflow(acme, steps)).id, payload);
  const run = async (steps: object[], payload: object = {}): Promise<RunShape> =>
    await runToEnd(acme, (await createWorkflow(acme, steps)).id, payload);
  const states = (ended: RunShape) => ended.steps.map(({ id, status }) => `${id} ${status}`);
  const outputOf = (ended: RunShape, id: string) =>
    ended.steps.find((step) => step.id === id)!.output;
  const faultsOf = async (...steps: object[]): Promise<string[]> => {
    const given = { name: 'Wrong', trigger: { type: 'manual' }, steps };
    const { error } = await acme.call('create_workflow', given);
    return error!.details!.map(({ path, message }) => `${path} ${message}`);
  };
  const effects = async (name: string) =>
    (
      await switchboard.ownerQuery(
        'select from contacts where first_name = $1 and organization_id = $2',
        [name, acme.id],
      )
    ).length;
  const retry = (runId: string) => acme.call<{ run: RunShape }>('retry_run', { run_id: runId });

  it('runs its steps for one item after the other, and returns the result of the last step for each item', async () => {
    const ended = await run(
      [
        each([echo('first', { n: '{{ index }}' }), echo('last', { of: '{{ item.name }}' })]),
        echo('after', { count: '{{ each.count }}', names: '{{ each.results | map: "value" }}' }),
      ],
      { items: [{ name: 'a' }, { name: 'b' }] },
    );
    expect(states(ended)).toEqual([
      'each succeeded',
      'each[0].first succeeded',
      'each[0].last succeeded',
      'each[1].first succeeded',
      'each[1].last succeeded',
      'after succeeded',
    ]);
    expect(outputOf(ended, 'each[1].first')).toEqual({ value: { n: 1 } });
    expect(outputOf(ended, 'each')).toEqual({
      count: 2,
      failed: 0,
      failures: [],
      results: [{ value: { of: 'a' } }, { value: { of: 'b' } }],
    });
    expect(outputOf(ended, 'after')).toEqual({
      value: { count: 2, names: [{ of: 'a' }, { of: 'b' }] },
    });
  });

  it('gives its steps the item, earlier steps of the same iteration, and all variables around the loop', async () => {
    const ended = await run(
      [
        echo('before', { a: 1 }),
        each(
          [
            echo('mine', { at: '{{ index }}' }),
            {
              id: 'inner',
              for_each: '{{ row.cells }}',
              as: 'cell',
              steps: [
                echo('deep', {
                  row: '{{ each.index }}',
                  column: '{{ index }}',
                  of: '{{ inner.count }}',
                  cell: '{{ cell }}',
                  same: '{{ each.item.cells[index] }}',
                  mine: '{{ mine.value.at }}',
                  before: '{{ before.value.a }}',
                }),
              ],
            },
          ],
          { as: 'row', concurrency: 2 },
        ),
      ],
      { items: [{ cells: ['x'] }, { cells: ['y', 'z'] }] },
    );
    expect(ended.status).toBe('succeeded');
    expect(outputOf(ended, 'each[1].inner[1].deep')).toEqual({
      value: { row: 1, column: 1, of: 2, cell: 'z', same: 'z', mine: 1, before: 1 },
    });
    expect(outputOf(ended, 'each[0].inner[0].deep')).toMatchObject({
      value: { row: 0, column: 0, mine: 0, cell: 'x' },
    });
  });

  it.each(sample([3, 1, 10], 3))('runs at most %i items at the same time', async (concurrency) => {
    const before = shop.requests.length;
    const count = concurrency * 3;
    const runId = await start(
      [
        each(
          [
            {
              id: 'call',
              tool: 'http_request',
              arguments: { url: `http://127.0.0.1:${shop.port}/{{ item }}` },
            },
          ],
          { concurrency },
        ),
      ],
      { items: Array.from({ length: count }, (_, index) => index) },
    );
    for (let round = 1; round <= 3; round += 1) {
      // Requests get a response only when all requests of a round have arrived. A missing request ends in a timeout.
      await waitFor(() => open.length === concurrency);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(open.length).toBe(concurrency);
      for (const response of open.splice(0)) response.writeHead(200).end();
    }
    expect((await runUntil(acme, runId, 'succeeded', 'failed')).status).toBe('succeeded');
    const keys = shop.requests
      .slice(before)
      .map(({ headers }) => withoutDigest(headers['idempotency-key']));
    const expected = Array.from({ length: count }, (_, index) => `${runId}:each[${index}].call`);
    expect(keys.sort()).toEqual(expected.sort());
  });

  it('accepts a literal list with expressions, and an empty list', async () => {
    const ended = await run(
      [
        each([echo('x', { item: '{{ item }}' })], { for_each: [1, '{{ trigger.payload.b }}'] }),
        { ...each([echo('y', {})]), id: 'none', for_each: [] },
      ],
      { b: { c: 2 } },
    );
    expect(outputOf(ended, 'each')).toMatchObject({
      results: [{ value: { item: 1 } }, { value: { item: { c: 2 } } }],
    });
    expect(outputOf(ended, 'none')).toMatchObject({ count: 0, results: [] });
  });

  it('is skipped when its condition is false', async () => {
    const ended = await run([
      each([echo('x', {})], { if: 'trigger.payload.items' }),
      echo('after', { count: '{{ each.count }}' }),
    ]);
    expect(states(ended)).toEqual(['each skipped', 'after succeeded']);
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'for_each needs a list.'],
    ['an object', { a: 1 }, 'for_each needs a list.'],
    ['text', 'abc', 'for_each needs a list.'],
  ])('fails for %s, and a retry continues', async (_what, items, message) => {
    const steps = Array.from({ length: 10 }, (_, index) => echo(`s${index}`, {}));
    const ended = await run([each(steps, { on_error: [echo('told', {})] })], { items });
    expect(states(ended)).toEqual(['each failed', 'told succeeded']);
    expect(ended.steps[0]!.error).toEqual({ code: 'invalid_arguments', message });
  });

  itSlow('fails a step that reads results above 1.5 MiB, which stay in the journal', async () => {
    const text = 'x'.repeat(600_000);
    const loop = each([echo('x', { text: '{{ trigger.payload.text }}' })]);
    const reading = echo('after', { names: '{{ each.results | map: "value" }}' });
    const ended = await run([loop, echo('counted', { count: '{{ each.count }}' }), reading], {
      items: [1, 2, 3],
      text,
    });
    expect(outputOf(ended, 'each')).toMatchObject({ count: 3, results: null });
    expect(outputOf(ended, 'counted')).toEqual({ value: { count: 3 } });
    expect(ended).toMatchObject({ status: 'failed', reason: 'step_failed:after' });
    expect(ended.steps.at(-1)!.error!.message).toMatch(
      /^The results of the loop each have 18\d{5} bytes, and at most 1572864 can be read\.$/,
    );
  });

  it('continues with the other items when a step with on_error fails', async () => {
    ProbeTools.failures.set('fine', 0);
    const ended = await run(
      [
        each([
          flaky('try', { on_error: [echo('told', { code: '{{ try.error.code }}' })] }),
          echo('code', { code: '{{ try.error.code }}' }),
          flaky('last', { on_error: 'continue' }),
        ]),
      ],
      { items: ['bad', 'fine'] },
    );
    expect(states(ended)).toEqual([
      'each succeeded',
      'each[0].try failed',
      'each[0].told succeeded',
      'each[0].code succeeded',
      'each[0].last failed',
      'each[1].try succeeded',
      'each[1].code succeeded',
      'each[1].last succeeded',
    ]);
    const message = 'Told to fail.';
    expect(outputOf(ended, 'each')).toMatchObject({
      results: [{ error: { code: 'conflict' } }, { done: true }],
      failed: 1,
      failures: [{ index: 0, step: 'each[0].try', code: 'conflict', message }],
    });
  });

  it('ends the run at a failure, and a retry continues there with the same list', async () => {
    ProbeTools.failures.set('r2', 1);
    for (const name of ['r0', 'r1', 'r3']) ProbeTools.failures.set(name, 0);
    const { value } = await acme.call<{ contact: { id: string } }>('create_contact', {
      email: 'tagged@example.com',
      tags: ['r0', 'r1', 'r2', 'r3'],
    });
    const workflow = await createWorkflow(acme, [
      each([flaky('try'), echo('then', { item: '{{ item }}' })], {
        for_each: '{{ contact.tags }}',
      }),
    ]);
    const started = await acme.call<{ run_id: string }>('trigger_workflow', {
      workflow_id: workflow.id,
      contact_id: value.contact.id,
    });
    const failed = await runUntil(acme, started.value.run_id, 'failed');
    expect(failed.reason).toBe('step_failed:each[2].try');
    expect(states(failed)).toEqual([
      'each canceled',
      'each[0].try succeeded',
      'each[0].then succeeded',
      'each[1].try succeeded',
      'each[1].then succeeded',
      'each[2].try failed',
    ]);
    await acme.call('update_contact', { contact_id: value.contact.id, tags: ['other'] });
    const retried = await retry(failed.id);
    expect(states(retried.value.run)).not.toContain('each[2].try failed');
    const ended = await runUntil(acme, failed.id, 'succeeded', 'failed');
    expect(ended.status).toBe('succeeded');
    expect(outputOf(ended, 'each')).toMatchObject({
      results: ['r0', 'r1', 'r2', 'r3'].map((item) => ({ value: { item } })),
    });
    expect(['r0', 'r1', 'r2', 'r3'].map((name) => ProbeTools.count(name))).toEqual([1, 1, 2, 1]);
  });

  itSlow(
    'finishes running steps after a failure, begins no new steps, and retries all failed steps',
    async () => {
      for (const name of ['slow', 'also']) ProbeTools.hold(name);
      ProbeTools.failures.set('breaks', 1);
      const steps = [
        { id: 'which', if: "item == 'breaks'", then: [flaky('fails')], else: [outside('call')] },
        effect('more'),
      ];
      const runId = await start([each(steps, { concurrency: 3 })], {
        items: ['slow', 'breaks', 'also', 'never'],
      });
      await waitFor(() => ProbeTools.count('breaks') === 1);
      await waitFor(() => ProbeTools.count('slow') + ProbeTools.count('also') === 2);
      await waitFor(async () =>
        states(await getRun(acme, runId)).includes('each[1].fails failed') ? true : undefined,
      );
      expect((await getRun(acme, runId)).status).toBe('running');
      ProbeTools.open('slow');
      ProbeTools.open('also');
      const failed = await runUntil(acme, runId, 'failed');
      expect(failed.reason).toBe('step_failed:each[1].fails');
      expect(states(failed)).toEqual(
        expect.arrayContaining(['each[0].call succeeded', 'each[2].call succeeded']),
      );
      expect(states(failed).filter((state) => state.includes('more'))).toEqual([]);
      expect(ProbeTools.count('never')).toBe(0);
      await retry(runId);
      const ended = await runUntil(acme, runId, 'succeeded', 'failed');
      expect(ended.status).toBe('succeeded');
      // One external call and one internal step were executed for this item.
      expect(ProbeTools.count('slow')).toBe(2);
      // The failed attempt, the successful attempt and the internal step were executed for this item.
      expect(ProbeTools.count('breaks')).toBe(3);
    },
  );

  it('ends at a stop step after the running steps have ended', async () => {
    ProbeTools.hold('long');
    const runId = await start(
      [
        each(
          [
            {
              id: 'enough',
              stop: 'succeeded',
              if: "item == 'stop'",
              reason: 'Saw {{ item }} at {{ index }}.',
            },
            outside('call'),
            effect('more'),
          ],
          { concurrency: 2 },
        ),
        echo('after', {}),
      ],
      { items: ['long', 'stop', 'unseen'] },
    );
    await waitFor(() => ProbeTools.count('long') === 1);
    await waitFor(async () =>
      states(await getRun(acme, runId)).includes('each[1].enough succeeded') ? true : undefined,
    );
    ProbeTools.open('long');
    const ended = await runUntil(acme, runId, 'succeeded', 'failed');
    expect(ended).toMatchObject({ status: 'succeeded', reason: 'stopped:each[1].enough' });
    expect(outputOf(ended, 'each[1].enough')).toEqual({
      stopped: 'succeeded',
      reason: 'Saw stop at 1.',
    });
    expect(states(ended)).toEqual([
      'each canceled',
      'each[0].enough skipped',
      'each[1].enough succeeded',
      'each[0].call succeeded',
    ]);
    expect(ProbeTools.count('unseen')).toBe(0);
  });

  itSlow('ends when the run is canceled, and continues when the run is retried', async () => {
    for (const name of ['c1', 'c2']) ProbeTools.hold(name);
    const runId = await start([each([outside('call'), effect('more')], { concurrency: 3 })], {
      items: ['c0', 'c1', 'c2', 'c3'],
    });
    await waitFor(() => ProbeTools.count('c1') + ProbeTools.count('c2') === 2);
    await waitFor(() => ProbeTools.count('c3') === 2);
    expect((await acme.call('cancel_run', { run_id: runId })).error).toBeUndefined();
    ProbeTools.open('c1');
    ProbeTools.open('c2');
    // The worker finishes this run before it begins the next run.
    await run([echo('other', {})]);
    const canceled = await getRun(acme, runId);
    expect(canceled.status).toBe('canceled');
    expect(states(canceled)).toEqual(
      expect.arrayContaining(['each[1].call canceled', 'each[2].call canceled']),
    );
    expect(ProbeTools.count('c1') + ProbeTools.count('c2')).toBe(2);
    await retry(runId);
    const ended = await runUntil(acme, runId, 'succeeded', 'failed');
    expect(ended.status).toBe('succeeded');
    // External calls may be repeated with the same key; internal steps take effect once.
    for (const [index, name] of ['c0', 'c1', 'c2', 'c3'].entries()) {
      const calls = ProbeTools.calls.filter((call) => call.name === name && call.key !== undefined);
      const keys = new Set(calls.map(({ key }) => key));
      expect([...keys].map(withoutDigest)).toEqual([`${runId}:each[${index}].call`]);
      expect(await effects(name)).toBe(1);
    }
  });

  it('waits in one iteration while the other iterations continue', async () => {
    const runId = await start(
      [
        each([{ id: 'pause', wait: { days: 1 }, if: "item == 'w0'" }, effect('more')], {
          concurrency: 2,
        }),
      ],
      { items: ['w0', 'w1', 'w2'] },
    );
    const waiting = await runUntil(acme, runId, 'waiting');
    expect(waiting.reason).toBe('wait');
    expect(['w0', 'w1', 'w2'].map((name) => ProbeTools.count(name))).toEqual([0, 1, 1]);
    await endWaits(switchboard, runId);
    expect((await runUntil(acme, runId, 'succeeded', 'failed')).status).toBe('succeeded');
    expect(['w0', 'w1', 'w2'].map((name) => ProbeTools.count(name))).toEqual([1, 1, 1]);
  });

  itSlow(
    'runs hundreds of items',
    async () => {
      const items = Array.from({ length: 200 }, (_, index) => index);
      const steps = [each([echo('x', { n: '{{ item }}' })], { concurrency: 10 })];
      const runId = await start(steps, { items });
      const hasEnded = async () =>
        (
          await switchboard.ownerQuery(
            `select from workflow_runs where id = $1 and finished_at is not null`,
            [runId],
          )
        ).length > 0;
      await waitFor(hasEnded, 100_000);
      const ended = await getRun(acme, runId);
      expect(ended.status).toBe('succeeded');
      const results = items.map((n) => ({ value: { n } }));
      expect(outputOf(ended, 'each')).toMatchObject({ count: 200, results });
      expect(ended.steps).toHaveLength(201);
    },
    120_000,
  );

  it('reports the path of each fault', async () => {
    expect(
      await faultsOf(
        { id: 'index', tool: 'probe_echo', arguments: { value: {} } },
        {
          id: 'each',
          for_each: '{{ nothing }}',
          as: 'contact',
          steps: [{ id: 'in', for_each: '{{ contact.tags }}', steps: [echo('x', {})] }],
        },
        { id: 'again', for_each: [], as: 'in', steps: [echo('y', { a: '{{ x }}' })] },
        echo('out', { a: '{{ item }}', b: '{{ x.value }}' }),
      ),
    ).toEqual([
      expect.stringContaining('steps[1].for_each refers to "nothing"'),
      'steps[1].as must not be "contact": expressions use that name for something else',
      'steps[1] uses the variable "index", but a step has that id',
      'steps[1].steps[0] uses the variable "index", but a step has that id',
      'steps[2].as must not be "in": expressions use that name for something else',
      'steps[2] uses the variable "index", but a step has that id',
      'steps[2].steps[0].arguments.value.a refers to the step "x", which may not have run before this step',
      expect.stringContaining('steps[3].arguments.value.a refers to "item"'),
      'steps[3].arguments.value.b refers to the step "x", which may not have run before this step',
    ]);
    expect(await faultsOf(each([{ id: 'in', for_each: ITEMS, steps: [echo('x', {})] }]))).toEqual([
      'steps[0].steps[0].as must not be "item": expressions use that name for something else',
    ]);
  });

  it('is rejected when the path of a step would be too long for an idempotency key', async () => {
    const id = (letter: string) => letter.repeat(60);
    const nested = (...letters: string[]): object =>
      letters.length === 1
        ? echo(id(letters[0]!), {})
        : {
            id: id(letters[0]!),
            as: `item_${letters[0]}`,
            for_each: [1],
            steps: [nested(...letters.slice(1))],
          };
    expect(await faultsOf(nested('a', 'b', 'c', 'd'))).toEqual([
      'steps[0].steps[0].steps[0].steps[0].id together with the ids of the loops around it has more than 200 characters; use shorter ids',
    ]);
    expect((await run([nested('a', 'b', 'c')])).status).toBe('succeeded');
  });
});
