import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import {
  createWorkflow,
  postWebhook,
  type RunShape,
  runToEnd,
  runUntil,
  trigger,
} from './support/workflow-client.js';

const OFF = 'needs CODE_STEPS=on, which only an operator of this installation can set';
const stop = (reason: string) => ({ id: 'end', stop: 'succeeded', reason });

describe('a code step', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { CODE_STEPS: 'on' } });
    acme = await createOrganization(switchboard);
  });
  afterAll(() => switchboard.close());

  const run = async (steps: object[], payload: object = {}): Promise<RunShape> =>
    await runToEnd(acme, (await createWorkflow(acme, steps)).id, payload);
  const faultsOf = async (step: object): Promise<string[]> => {
    const steps = [{ id: 'work', ...step }];
    const given = { name: 'Test', trigger: { type: 'manual' }, steps };
    const { status, error } = await acme.call('create_workflow', given);
    expect(status).toBe(422);
    return error!.details!.map(({ path, message }) => `${path} ${message}`);
  };

  it('returns a value that it computes from its input, and later steps use this value', async () => {
    const code =
      'return { total: input.items.reduce((sum, item) => sum + item.price, 0), a: [1] };';
    const ended = await run(
      [
        {
          id: 'sum',
          code,
          input: { items: '{{ trigger.payload.items }}', text: 'a {{ run.id }}' },
        },
        stop('{{ sum.total }} {{ sum.a[0] }} {{ sum | json }}'),
      ],
      { items: [{ price: 2 }, { price: 0.5 }] },
    );
    expect(ended.status).toBe('succeeded');
    expect(ended.steps[0]).toMatchObject({
      tool: 'code',
      status: 'succeeded',
      attempts: 1,
      input: { items: [{ price: 2 }, { price: 0.5 }], text: `a ${ended.id}` },
      output: { total: 2.5, a: [1] },
    });
    expect(ended.steps[1]!.output).toMatchObject({ reason: '2.5 1 {"total":2.5,"a":[1]}' });
  });

  it('returns a value that is not an object as the member `value`, and null without a result', async () => {
    const ended = await run([
      { id: 'list', code: 'return [{ id: "x" }]' },
      { id: 'nothing', code: 'return undefined' },
      stop('{{ list.value[0].id }} {{ list | json }} {{ nothing.value }}'),
    ]);
    expect(ended.steps.map(({ output }) => output)).toEqual([
      { value: [{ id: 'x' }] },
      null,
      { stopped: 'succeeded', reason: 'x {"value":[{"id":"x"}]} ' },
    ]);
  });

  itSlow(
    'has an output with exactly the returned members, even if one of them is an object with an id',
    async () => {
      const ended = await run([
        { id: 'made', code: 'return { person: { id: "p", name: "Ada" }, count: 1 }' },
        stop('{{ made | json }} {{ made.id }}'),
      ]);
      expect(ended.steps[1]!.output).toMatchObject({
        reason: '{"person":{"id":"p","name":"Ada"},"count":1} ',
      });
    },
  );

  itSlow('is skipped when its condition is false, and can be inside a loop', async () => {
    const ended = await run([
      { id: 'never', code: 'throw 1', if: 'trigger.payload.a' },
      {
        id: 'each',
        for_each: [1, 2, 3],
        steps: [{ id: 'twice', code: 'return { n: input.n * 2 }', input: { n: '{{ item }}' } }],
      },
      stop('{% for one in each.results %}{{ one.n }} {% endfor %}'),
    ]);
    expect(ended.status).toBe('succeeded');
    expect(ended.steps[0]).toMatchObject({ status: 'skipped' });
    expect(ended.steps.at(-1)!.output).toMatchObject({ reason: '2 4 6 ' });
  });

  it('fails at once when the code throws, and on_error sees the message', async () => {
    const broken = { id: 'broken', code: '\nthrow new TypeError("no items")' };
    const handled = await run([
      { ...broken, on_error: [stop('{{ broken.error.code }}: {{ broken.error.message }}')] },
    ]);
    expect(handled.steps[0]).toMatchObject({ status: 'failed', attempts: 1 });
    expect(handled.steps[1]!.output).toMatchObject({
      reason: expect.stringMatching(
        /^invalid_arguments: The code failed: TypeError: no items \(line 2, column \d+\)\.$/,
      ) as string,
    });
    const failed = await run([broken]);
    expect(failed).toMatchObject({ status: 'failed', reason: 'step_failed:broken' });
  });

  itSlow('is attempted again after a timeout, as its retry policy says', async () => {
    const ended = await run([
      {
        id: 'loop',
        code: 'for (;;);',
        timeout: 0.1,
        retry: { max_attempts: 2, backoff_seconds: 0 },
      },
    ]);
    expect(ended).toMatchObject({ status: 'failed', reason: 'step_failed:loop' });
    const message = 'The code did not end within 0.1 s.';
    expect(ended.steps[0]).toMatchObject({
      attempts: 2,
      error: { code: 'unavailable', message },
      failed_attempts: [{ attempt: 1 }, { attempt: 2 }],
    });
  });

  itSlow('has the usual timeout when SQL of a tool stored an invalid one', async () => {
    const loop = { id: 'loop', code: 'for (;;);', retry: { max_attempts: 1 } };
    const { id } = await createWorkflow(acme, [loop]);
    await switchboard.ownerQuery('update workflow_versions set steps = $2 where workflow_id = $1', [
      id,
      JSON.stringify([{ ...loop, timeout: -0.5 }]),
    ]);
    const ended = await runToEnd(acme, id);
    expect(ended.steps[0]!.error!.message).toBe('The code did not end within 1 s.');
  });

  itSlow('fails when its result is larger than the limit for the result of a tool', async () => {
    const ended = await run([{ id: 'big', code: 'return "x".repeat(1572863)' }]);
    expect(ended.steps[0]!.error).toMatchObject({
      code: 'invalid_arguments',
      message: 'The code failed: the result is larger than 1572864 bytes.',
    });
    const fits = await run([{ id: 'big', code: 'return "x".repeat(1572000)' }]);
    expect(fits.status).toBe('succeeded');
  });

  it('sees the time of its attempt', async () => {
    const ended = await run([{ id: 'now', code: 'return { at: new Date().toISOString() }' }]);
    const at = Date.parse(ended.steps[0]!.output!.at as string);
    expect(at).toBeGreaterThanOrEqual(Date.parse(ended.created_at) - 1);
    expect(at).toBeLessThanOrEqual(Date.parse(ended.finished_at!) + 1);
  });

  itSlow('gives its result to a webhook that waits', async () => {
    const steps = [{ id: 'answer', code: 'return { n: input.n + 1 }', input: { n: 1 } }];
    const { id } = await createWorkflow(acme, steps, {
      trigger: { type: 'webhook', wait_seconds: 30 },
    });
    const { body } = await postWebhook(switchboard, id, {});
    expect(body).toMatchObject({ status: 'succeeded', outputs: { answer: { n: 2 } } });
  });

  it('can be saved by an agent, like other steps', async () => {
    const response = await acme.rpc({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'create_workflow',
        arguments: {
          name: 'By an agent',
          trigger: { type: 'manual' },
          steps: [{ id: 'one', code: 'return 1' }],
        },
      },
    });
    expect(await response.text()).toMatch(/version\\":1/);
  });

  it('is refused with the line and column of a syntax error', async () => {
    expect(await faultsOf({ code: 'const a = 1;\n  return a +;' })).toEqual([
      expect.stringMatching(
        /^steps\[0\]\.code is not valid JavaScript: SyntaxError: .* \(line 2, column \d+\)$/,
      ),
    ]);
  });

  it('is refused when it is too long, or has members that it cannot have', async () => {
    const long = 'must be text of 1 to 65536 characters';
    expect(await faultsOf({ code: '/'.repeat(65_537) })).toEqual([`steps[0].code ${long}`]);
    expect(await faultsOf({ code: ' ' })).toEqual([`steps[0].code ${long}`]);
    expect(await faultsOf({ code: 'x'.repeat(500_000) })).toEqual([
      expect.stringContaining('must be at most 262144 bytes'),
    ]);
    const options = { input: [], timeout: 11, retry: { max_attempts: 11 }, arguments: {} };
    expect(await faultsOf({ code: 'return 1', ...options })).toHaveLength(4);
  });

  it('is refused when its input refers to unknown variables or to secrets', async () => {
    const input = { a: '{{ later.a }}', b: '{{ secrets.key }}' };
    expect(await faultsOf({ code: 'return "{{ no_expression }}"', input })).toEqual([
      expect.stringContaining('steps[0].input.a refers to "later"'),
      expect.stringContaining('steps[0].input.b refers to a secret'),
    ]);
  });
});

describe('without CODE_STEPS=on', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await startSwitchboard();
    acme = await createOrganization(switchboard);
  });
  afterAll(() => switchboard.close());

  it('a workflow with a code step is not saved, and a run of such a workflow fails with the same message', async () => {
    const steps = [{ id: 'work', code: 'return 1' }];
    const given = { name: 'Test', trigger: { type: 'manual' }, steps };
    const { status, error } = await acme.call('create_workflow', given);
    expect(status).toBe(422);
    expect(error!.details).toEqual([{ path: 'steps[0].code', message: OFF }]);
    // The setting was on when this version was saved.
    const { id } = await createWorkflow(acme, [{ id: 'work', wait: { seconds: 1 } }]);
    await switchboard.ownerQuery('update workflow_versions set steps = $1 where workflow_id = $2', [
      JSON.stringify(steps),
      id,
    ]);
    const ended = await runUntil(acme, await trigger(acme, id), 'failed', 'succeeded');
    expect(ended.steps[0]).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: { code: 'invalid_arguments', message: `A code step ${OFF}.` },
    });
  });
});
