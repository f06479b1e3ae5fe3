import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { callTool, offer, said } from './support/offer-client.js';
import {
  createWorkflow,
  postWebhook,
  type RunShape,
  runToEnd,
  runUntil,
} from './support/workflow-client.js';

const echo = (id: string, value: object, more: object = {}) => ({
  id,
  tool: 'probe_echo',
  arguments: { value },
  ...more,
});
const set = (id: string, values: object, more: object = {}) => ({ id, set: values, ...more });

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const run = async (steps: object[], payload: object = {}, more: object = {}): Promise<RunShape> => {
  const { id } = await createWorkflow(acme, steps, more);
  return await runToEnd(acme, id, payload);
};
const output = (ended: RunShape, id: string) => ended.steps.find((step) => step.id === id)?.output;
const echoed = (ended: RunShape, id = 'seen') => output(ended, id)?.value;
const faultsOf = async (steps: object[], more: object = {}): Promise<string[]> => {
  const definition = { name: 'Test', trigger: { type: 'manual' }, steps, ...more };
  const { error } = await acme.call('create_workflow', definition);
  return (error?.details ?? []).map(({ path, message }) => `${path} ${message}`);
};

describe('a step that sets values', () => {
  it('keeps the type of a single expression, and later steps read the values as vars', async () => {
    const ended = await run(
      [
        set('first', {
          total: '{{ trigger.payload.a | plus: 1 }}',
          list: '{{ trigger.payload.list }}',
          name: 'Order {{ trigger.payload.a }}',
          deep: { flag: true, of: ['{{ trigger.payload.a }}'] },
        }),
        set('second', { total: '{{ vars.total | times: 2 }}' }),
        echo(
          'seen',
          { list: '{{ vars.list }}', deep: '{{ vars.deep }}', big: '{{ vars.total }}' },
          { if: 'vars.total > 3' },
        ),
      ],
      { a: 2, list: [1, 'x', null] },
    );
    expect(ended.status).toBe('succeeded');
    expect(output(ended, 'first')).toEqual({
      vars: { total: 3, list: [1, 'x', null], name: 'Order 2', deep: { flag: true, of: [2] } },
    });
    expect(echoed(ended)).toEqual({
      list: [1, 'x', null],
      deep: { flag: true, of: [2] },
      big: 6,
    });
  });

  it('sets values that expressions must read one by one: an expression that reads all values together is refused', async () => {
    const message = 'refers to all of vars, but single values are read as vars.NAME';
    expect(
      await faultsOf([
        set('one', { a: 1 }),
        echo('whole', { x: '{{ vars }}' }),
        echo('in_text', { x: 'All: {% for v in vars %}{{ v }}{% endfor %}' }),
        echo('condition', {}, { if: 'vars' }),
        echo('computed', { x: '{{ vars[trigger.payload.name] }}' }),
      ]),
    ).toEqual([
      `steps[1].arguments.value.x ${message}`,
      `steps[2].arguments.value.x ${message}`,
      `steps[3].if ${message}`,
      `steps[4].arguments.value.x ${message}`,
    ]);
  });

  it('fails when an expression fails, and sets nothing when its condition is false', async () => {
    const ended = await run([
      set('kept', { x: 1 }),
      set('skipped', { x: 2 }, { if: 'false' }),
      set('bad', { x: '{{ 1 | divided_by: 0 }}' }, { on_error: 'continue' }),
      echo('seen', { x: '{{ vars.x }}', error: '{{ bad.error.code }}' }),
    ]);
    expect(echoed(ended)).toEqual({ x: 1, error: 'invalid_arguments' });
  });

  it('sets values that expressions can read only as vars.NAME, and a name that no earlier step sets is refused', async () => {
    expect(
      await faultsOf([
        echo('early', { x: '{{ vars.total }}' }),
        set('sum', { total: 1 }),
        echo('late', { x: '{{ vars.totl }}', y: '{{ sum.total }}' }),
        { id: 'each', for_each: [1], steps: [set('inner', { one: 1 })] },
        echo('after', { x: '{{ vars.one }}' }),
      ]),
    ).toEqual([
      'steps[0].arguments.value.x refers to "vars.total", which no earlier step sets.',
      'steps[2].arguments.value.x refers to "vars.totl", which no earlier step sets. Did you mean total?',
      'steps[2].arguments.value.y refers to the step "sum", whose values are read as vars.NAME',
      'steps[4].arguments.value.x refers to "vars.one", which no earlier step sets.',
    ]);
    expect(
      await faultsOf([
        { id: 'vars', wait: { seconds: 1 } },
        { id: 'nothing', set: {} },
        { id: 'bad', set: { 'a-b': 1, size: 2 } },
        { id: 'each', for_each: [1], as: 'vars', steps: [echo('in_it', {})] },
      ]),
    ).toEqual([
      'steps[0].id must not be "vars": expressions use that name',
      'steps[1].set must have 1 to 100 names',
      'steps[2].set has a name that does not match ^[A-Za-z][A-Za-z0-9_]{0,63}$',
      'steps[2].set.size must have another name: Liquid computes this member',
      'steps[3].as must not be "vars": expressions use that name for something else',
    ]);
  });
});

describe('filters of data in a definition', () => {
  it('are refused with a secret as their key, and when they are unknown', async () => {
    const signed = (id: string, key: string) => ({
      id,
      tool: 'http_request',
      arguments: {
        url: 'https://shop.example.com',
        headers: { 'X-Signature': `{{ "a" | hmac_sha256: ${key} }}` },
      },
    });
    const faults = await faultsOf([
      signed('known', 'secrets.shop'),
      set('value', { signature: '{{ "a" | hmac_sha256: secrets.shop }}' }),
      set('other', { hash: '{{ "a" | md5 }}' }),
    ]);
    expect(faults).toEqual([
      'steps[0].arguments.headers.X-Signature must contain a secret as {{ secrets.name }}, without filters, tags and other names',
      'steps[1].set.signature refers to a secret, which only the arguments of http_request may contain',
      expect.stringContaining('undefined filter: md5') as string,
    ]);
  });
});

describe('the flow of values out of branches, parallel lists and loops', () => {
  it('gives a step after a branch the value that the branch set', async () => {
    const steps = [
      set('default', { price: 1 }),
      {
        id: 'by_plan',
        if: "trigger.payload.plan == 'pro'",
        then: [set('pro', { price: 10, only: 'pro' })],
        else: [set('free', { price: 0 })],
      },
      echo('seen', { price: '{{ vars.price }}', only: '{{ vars.only }}' }),
    ];
    expect(echoed(await run(steps, { plan: 'pro' }))).toEqual({ price: 10, only: 'pro' });
    expect(echoed(await run(steps, { plan: 'free' }))).toEqual({ price: 0, only: null });
  });

  it('shows the values of all parallel lists to the steps after the lists, and hides the values of a list from other lists', async () => {
    const pause = { id: 'pause', wait: { seconds: 0.05 } };
    const ended = await run([
      set('before', { x: 0 }),
      {
        id: 'all',
        parallel: [
          [set('left', { x: '{{ vars.x | plus: 1 }}' })],
          [pause, set('middle', { x: '{{ vars.x | plus: 2 }}', only: true })],
          [set('right', { x: '{{ vars.x | plus: 4 }}' })],
        ],
      },
      echo('seen', { x: '{{ vars.x }}', only: '{{ vars.only }}' }),
    ]);
    expect(output(ended, 'middle')).toEqual({ vars: { x: 2, only: true } });
    expect(output(ended, 'right')).toEqual({ vars: { x: 4 } });
    // The list in the middle ended last, but its place in the definition decides.
    expect(echoed(ended)).toEqual({ x: 4, only: true });
  });

  it('gives the steps of on_failure the values that were set before the failure', async () => {
    const ended = await run(
      [set('sum', { x: 7 }), { id: 'end', stop: 'failed' }],
      {},
      {
        on_failure: [echo('seen', { x: '{{ vars.x }}' })],
      },
    );
    expect(echoed(ended)).toEqual({ x: 7 });
  });

  it('lists the output of each item in the results of a loop', async () => {
    const ended = await run(
      [
        {
          id: 'each',
          for_each: '{{ trigger.payload.items }}',
          concurrency: 3,
          steps: [
            set('double', { twice: '{{ item.n | times: 2 }}' }),
            { id: 'big', if: 'vars.twice > 4', then: [set('mark', { kind: 'big' })] },
            { id: 'pause', wait: { seconds: 0.01 }, if: 'item.n == 1' },
          ],
          output: { n: '{{ item.n }}', twice: '{{ vars.twice }}', kind: '{{ vars.kind }}' },
        },
        {
          id: 'plain',
          for_each: [5, 6],
          steps: [echo('made', { of: '{{ item }}' })],
          output: '{{ made.value.of | plus: index }}',
        },
        echo('seen', { results: '{{ each.results }}', sum: '{{ plain.results | sum }}' }),
      ],
      { items: [{ n: 1 }, { n: 2 }, { n: 3 }] },
    );
    expect(echoed(ended)).toEqual({
      results: [
        { n: 1, twice: 2, kind: null },
        { n: 2, twice: 4, kind: null },
        { n: 3, twice: 6, kind: 'big' },
      ],
      sum: 12,
    });
    expect(output(ended, 'plain')).toMatchObject({ count: 2, results: [5, 7] });
  });

  itSlow(
    'evaluates the output of a nested loop with the items of both loops, and fails the run when the evaluation fails',
    async () => {
      const ended = await run([
        {
          id: 'rows',
          for_each: [1, 2],
          as: 'row',
          steps: [
            {
              id: 'cells',
              for_each: [3, 4],
              as: 'cell',
              steps: [set('product', { of: '{{ row | times: cell }}' })],
              output: '{{ vars.of }}',
            },
          ],
          output: '{{ cells.results }}',
        },
      ]);
      expect(output(ended, 'rows')?.results).toEqual([
        [3, 4],
        [6, 8],
      ]);
      const failed = await run([
        {
          id: 'each',
          for_each: [1],
          steps: [echo('made', {})],
          output: '{{ item | divided_by: 0 }}',
        },
      ]);
      expect(failed.reason).toBe('step_failed:each[0].each:output');
      const { error } = await acme.call('retry_run', { run_id: failed.id });
      expect(error).toBeUndefined();
      expect((await runUntil(acme, failed.id, 'failed')).reason).toBe(failed.reason);
    },
  );

  it('refuses an output that reads values that the steps of the loop do not have', async () => {
    expect(
      await faultsOf([
        {
          id: 'each',
          for_each: [1],
          steps: [set('inner', { one: 1 })],
          output: ['{{ vars.one }}', '{{ vars.two }}', '{{ nobody }}', '{{ item }}'],
        },
      ]),
    ).toEqual([
      'steps[0].output[1] refers to "vars.two", which no earlier step sets.',
      expect.stringContaining('steps[0].output[2] refers to "nobody"') as string,
    ]);
  });
});

describe('a step that returns values', () => {
  const RETURN = [
    echo('work', { secret: 'kept inside' }),
    {
      id: 'done',
      return: { total: '{{ trigger.payload.n | plus: 1 }}', text: 'n = {{ trigger.payload.n }}' },
    },
    echo('never', {}),
  ];

  it('ends the run, and get_run shows its values as the output', async () => {
    const ended = await run(RETURN, { n: 4 });
    expect([ended.status, ended.reason]).toEqual(['succeeded', 'returned:done']);
    expect(ended.steps.map(({ id }) => id)).toEqual(['work', 'done']);
    const { value } = await acme.call<{ output: object }>('get_run', { run_id: ended.id });
    expect(value.output).toEqual({ total: 5, text: 'n = 4' });
    const found = await acme.call<{ runs: object[] }>('list_runs', { reason: 'returned' });
    expect(found.value.runs).toContainEqual(expect.objectContaining({ id: ended.id }));
  });

  it('gives its values to run_workflow, to a webhook that waits, and to the caller of an offered workflow', async () => {
    const child = await createWorkflow(acme, RETURN);
    const parent = await run([
      { id: 'sub', run_workflow: child.id, payload: { n: 1 } },
      echo('seen', { total: '{{ sub.outputs.total }}' }),
    ]);
    expect(output(parent, 'sub')?.outputs).toEqual({ total: 2, text: 'n = 1' });
    expect(echoed(parent)).toEqual({ total: 2 });

    const waiting = await createWorkflow(acme, RETURN, {
      trigger: { type: 'webhook', wait_seconds: 30 },
    });
    const { body } = await postWebhook(switchboard, waiting.id, { n: 2 });
    expect(body).toMatchObject({ status: 'succeeded', outputs: { total: 3, text: 'n = 2' } });

    const more = { trigger: { type: 'manual' } };
    const tool = await createWorkflow(acme, RETURN, more);
    const schema = { type: 'object', properties: { n: { type: 'integer' } } };
    await offer(acme, tool.id, 'add_one', { input_schema: schema });
    expect(said(await callTool(acme, 'add_one', { n: 3 }))).toMatchObject({
      status: 'succeeded',
      output: { total: 4, text: 'n = 3' },
    });
  });

  it('ends the run from inside a loop when the condition of the step is true', async () => {
    const ended = await run([
      {
        id: 'each',
        for_each: [1, 2, 3],
        steps: [{ id: 'found', if: 'item == 2', return: { found: '{{ item }}' } }],
      },
      { id: 'none', return: {} },
    ]);
    expect(ended.reason).toBe('returned:each[1].found');
    const { value } = await acme.call<{ output: object }>('get_run', { run_id: ended.id });
    expect(value.output).toEqual({ found: 2 });
  });

  itSlow('fails when its values are larger than 1 MiB', async () => {
    const text = 'x'.repeat(600_000);
    const steps = [
      { id: 'done', return: { a: '{{ trigger.payload.text }}', b: '{{ trigger.payload.text }}' } },
    ];
    const ended = await run(steps, { text });
    expect(ended.reason).toBe('step_failed:done');
    expect(ended.steps[0]!.error!.message).toContain('larger than 1048576 bytes');
  });

  it('is refused in on_failure, and with on_error', async () => {
    expect(
      await faultsOf([{ id: 'a', return: {}, on_error: 'continue' }], {
        on_failure: [{ id: 'b', return: { x: 1 } }],
      }),
    ).toEqual([
      'steps[0].on_error must be absent in a step that ends the run',
      'on_failure[0].return must not be in on_failure: the run has already failed. Use conditions instead',
    ]);
  });
});

it('a step fails when its condition takes too long to search a long text for another long text', async () => {
  const payload = {
    text: 'a'.repeat(500_000),
    long: `${'a'.repeat(2000)}b${'a'.repeat(2000)}`,
    short: 'b'.repeat(64),
  };
  const search = async (name: string): Promise<RunShape> => {
    const condition = `trigger.payload.text contains trigger.payload.${name}`;
    return await run([echo('seen', {}, { if: condition })], payload);
  };
  const long = await search('long');
  expect(long.status).toBe('failed');
  expect(long.steps[0]!.error).toMatchObject({
    code: 'invalid_arguments',
    message: expect.stringContaining('too long for an input of 500000 characters'),
  });
  expect((await search('short')).status).toBe('succeeded');
  const replace = '{{ trigger.payload.text | slice: 0, 200000 | remove: trigger.payload.long }}';
  const replaced = await run([echo('seen', { value: replace })], payload);
  expect(replaced.steps[0]!.error?.message).toContain('too long for an input of');
});
