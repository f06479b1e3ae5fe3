import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { ProbeTools } from './support/probe.tools.js';
import {
  createWorkflow,
  type RunShape,
  runToEnd,
  runUntil,
  trigger,
} from './support/workflow-client.js';

const echo = (id: string, value: object, more: object = {}) => ({
  id,
  tool: 'probe_echo',
  arguments: { value },
  ...more,
});
const fail = (id: string, name: string, more: object = {}) => ({
  id,
  tool: 'probe_fail',
  arguments: { name, code: 'conflict' },
  ...more,
});
const outside = (id: string, name: string) => ({ id, tool: 'probe_outside', arguments: { name } });
const FAILURE = {
  step: '{{ failure.step }}',
  tool: '{{ failure.tool }}',
  code: '{{ failure.error.code }}',
  message: '{{ failure.error.message }}',
};

describe('on_failure of a workflow', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  const run = async (steps: object[], onFailure: object[], payload = {}): Promise<RunShape> => {
    const { id } = await createWorkflow(acme, steps, { on_failure: onFailure });
    return await runToEnd(acme, id, payload);
  };
  const states = (ended: RunShape) => ended.steps.map(({ id, status }) => `${id} ${status}`);
  const output = (ended: RunShape, id: string) =>
    ended.steps.find((step) => step.id === id)?.output;
  const retry = async (runId: string): Promise<RunShape> => {
    const { error } = await acme.call('retry_run', { run_id: runId });
    expect(error).toBeUndefined();
    return await runUntil(acme, runId, 'succeeded', 'failed');
  };

  it('runs its steps after the run has finally failed, and the run fails although these steps succeed', async () => {
    ProbeTools.failures.set('late', 5);
    const ended = await run(
      [
        echo('first', { number: 7 }),
        fail('broken', 'late', {
          arguments: { name: 'late', code: 'unavailable' },
          retry: { max_attempts: 2, backoff_seconds: 0 },
        }),
        echo('never', {}),
      ],
      [echo('told', { ...FAILURE, number: '{{ first.value.number }}', never: '{{ never }}' })],
    );
    expect([ended.status, ended.reason]).toEqual(['failed', 'step_failed:broken']);
    expect(states(ended)).toEqual([
      'first succeeded',
      'broken failed',
      'workflow.on_failure succeeded',
      'told succeeded',
    ]);
    expect(ProbeTools.count('late')).toBe(2);
    expect(output(ended, 'told')).toEqual({
      value: {
        step: 'broken',
        tool: 'probe_fail',
        code: 'unavailable',
        message: 'Told to fail.',
        number: 7,
        never: null,
      },
    });
  });

  it('can send a message to the contact of the run, and waits, branches and loops as other steps do', async () => {
    const { value } = await acme.call<{ contact: { id: string } }>('create_contact', {
      email: 'failed@example.com',
    });
    const contactId = value.contact.id;
    const { id } = await createWorkflow(acme, [fail('broken', 'message')], {
      on_failure: [
        { id: 'pause', wait: { until: '2020-01-01T00:00:00Z' } },
        { id: 'each', for_each: [1, 2], steps: [echo('item_step', { now: '{{ item }}' })] },
        {
          id: 'known',
          if: "failure.error.code == 'conflict'",
          then: [
            {
              id: 'sorry',
              tool: 'send_message',
              arguments: {
                contact_id: '{{ contact.id }}',
                subject: 'Sorry',
                body: 'It failed at {{ failure.step }}.',
              },
            },
          ],
        },
      ],
    });
    const started = await acme.call<{ run_id: string }>('trigger_workflow', {
      workflow_id: id,
      contact_id: contactId,
    });
    await runUntil(acme, started.value.run_id, 'failed');
    const messages = await acme.call<{ messages: object[] }>('list_messages', {
      run_id: started.value.run_id,
    });
    expect(messages.value.messages).toMatchObject([{ body: 'It failed at broken.' }]);
  });

  it('begins when the other running steps are done, also after a failed step in a loop or a stop step', async () => {
    ProbeTools.hold('beside');
    const { id } = await createWorkflow(
      acme,
      [{ id: 'both', parallel: [[outside('slow', 'beside')], [fail('broken', 'parallel')]] }],
      { on_failure: [echo('told', { slow: '{{ slow.done }}' })] },
    );
    const runId = await trigger(acme, id);
    await runUntil(acme, runId, 'running');
    await expect.poll(() => ProbeTools.count('parallel')).toBe(1);
    ProbeTools.open('beside');
    const parallel = await runUntil(acme, runId, 'failed');
    expect(states(parallel).slice(-3)).toEqual([
      expect.stringMatching(/^(?:slow succeeded|broken failed)$/),
      'workflow.on_failure succeeded',
      'told succeeded',
    ]);
    expect(output(parallel, 'told')).toEqual({ value: { slow: true } });
    const loop = await run(
      [{ id: 'each', for_each: [1, 2], steps: [fail('broken', 'loop')] }],
      [echo('told', FAILURE)],
    );
    expect(output(loop, 'told')).toMatchObject({ value: { step: 'each[0].broken' } });
    const stopped = await run(
      [{ id: 'enough', stop: 'failed', reason: 'No stock.' }],
      [echo('told', FAILURE)],
    );
    expect(stopped.reason).toBe('stopped:enough');
    expect(output(stopped, 'told')).toMatchObject({
      value: { code: 'stopped', message: 'No stock.' },
    });
  });

  it('waits as long as its own wait step says, although a parallel list had a shorter wait', async () => {
    const { id } = await createWorkflow(
      acme,
      [
        {
          id: 'both',
          parallel: [[{ id: 'left', wait: { minutes: 1 } }], [fail('broken', 'left behind')]],
        },
      ],
      { on_failure: [{ id: 'later', wait: { days: 1 } }] },
    );
    const runId = await trigger(acme, id);
    await runUntil(acme, runId, 'waiting');
    const [row] = await switchboard.ownerQuery<{ hours: number }>(
      `select extract(epoch from available_at - now())::float8 / 3600 as hours from workflow_runs where id = $1`,
      [runId],
    );
    expect(row!.hours).toBeGreaterThan(23);
  });

  it('ends when one of its steps fails, and the run keeps the reason of its own failure', async () => {
    const ended = await run(
      [fail('broken', 'first')],
      [
        fail('handled', 'second', { on_error: [echo('caught', FAILURE)] }),
        fail('again', 'third'),
        echo('never', {}),
      ],
    );
    expect([ended.status, ended.reason]).toEqual(['failed', 'step_failed:broken']);
    expect(states(ended)).toEqual([
      'broken failed',
      'workflow.on_failure succeeded',
      'handled failed',
      'caught succeeded',
      'again failed',
    ]);
    expect(output(ended, 'caught')).toMatchObject({ value: { step: 'broken' } });
  });

  it('does not run after a success, after a handled failure, or when the run is canceled', async () => {
    const steps = [echo('told', {})];
    expect(states(await run([echo('a', {})], steps))).toEqual(['a succeeded']);
    const handled = [fail('broken', 'handled', { on_error: 'continue' })];
    expect(states(await run(handled, steps))).toEqual(['broken failed']);
    const { id } = await createWorkflow(acme, [{ id: 'pause', wait: { days: 1 } }], {
      on_failure: steps,
    });
    const runId = await trigger(acme, id);
    await runUntil(acme, runId, 'waiting');
    await acme.call('cancel_run', { run_id: runId });
    expect(states(await runUntil(acme, runId, 'canceled'))).toEqual(['pause canceled']);
  });

  it('runs again with a new idempotency key when a retry of the run fails, and does not run when the retry succeeds', async () => {
    ProbeTools.failures.set('twice', 2);
    const first = await run([fail('broken', 'twice')], [outside('call', 'failure call')]);
    const again = await retry(first.id);
    expect([again.status, states(again).length]).toEqual(['failed', 3]);
    const keys = ProbeTools.calls.filter(({ name }) => name === 'failure call');
    expect(new Set(keys.map(({ key }) => key)).size).toBe(2);
    const succeeded = await retry(first.id);
    expect(succeeded.status).toBe('succeeded');
    expect(states(succeeded)).toEqual(['broken succeeded']);
    expect(ProbeTools.count('failure call')).toBe(2);
  });

  it('is checked with its paths, and its steps count for the limits of the definition', async () => {
    const save = async (onFailure: unknown, steps: object[] = [echo('a', {})]) => {
      const given = { name: 'x', trigger: { type: 'manual' }, steps, on_failure: onFailure };
      const { error } = await acme.call('create_workflow', given);
      return error?.details?.map(({ path, message }) => `${path} ${message}`).join('; ');
    };
    expect(await save([echo('a', {})])).toBe('on_failure[0].id "a" is the id of another step');
    expect(await save([{ id: 'b', stop: 'failed' }])).toContain('on_failure[0].stop must not be');
    expect(await save([echo('b', { x: '{{ failure.reason }}' })])).toContain(
      'failure has only step and tool and error and failed_at',
    );
    expect(await save([echo('failure', {})])).toContain('on_failure[0].id must not be "failure"');
    expect(await save([echo('b', { x: '{{ nothing }}' })])).toContain('nor an earlier step');
    expect(await save([], [echo('failure', {}), echo('b', { x: '{{ failure.value }}' })])).toBe(
      undefined,
    );
    expect(await save([], [echo('b', { x: '{{ failure.step }}' })])).toContain('"failure"');
    expect(await save([], [{ id: 'b', on_failure: [] }])).toContain('it stands beside "steps"');
    const many = Array.from({ length: 251 }, (_, index) => echo(`s${index}`, {}));
    const more = Array.from({ length: 250 }, (_, index) => echo(`f${index}`, {}));
    expect(await save(more, many)).toContain('at most 500 steps');
    const misplaced = { name: 'x', trigger: { type: 'manual' }, steps: [], on_error: [] };
    const { error } = await acme.call('create_workflow', misplaced);
    expect(error?.message).toContain('Did you mean on_failure?');
  });

  it('is shown, kept by an update of the steps, compared, restored, and removed by an empty list', async () => {
    const created = await createWorkflow(acme, [echo('a', {})], { on_failure: [echo('f', {})] });
    expect(created).toMatchObject({ steps: [{ id: 'a' }], on_failure: [{ id: 'f' }] });
    const update = async (changes: object) => {
      const given = { workflow_id: created.id, ...changes };
      const { value } = await acme.call<{ workflow: object }>('update_workflow', given);
      return value.workflow;
    };
    expect(await update({ steps: [echo('b', {})] })).toMatchObject({ on_failure: [{ id: 'f' }] });
    const moved = await update({ on_failure: [echo('g', {}), echo('f', {})] });
    expect(moved).toMatchObject({ version: 3, steps: [{ id: 'b' }] });
    expect(await update({ on_failure: [] })).not.toHaveProperty('on_failure');
    const diff = await acme.call('diff_workflow_versions', {
      workflow_id: created.id,
      from: 1,
      to: 3,
    });
    expect(diff.value).toMatchObject({
      steps: [
        { id: 'a', change: 'removed' },
        { id: 'b', change: 'added' },
        { id: 'g', change: 'added', to: '/on_failure/0' },
      ],
    });
    const restored = await acme.call('restore_workflow_version', {
      workflow_id: created.id,
      version: 1,
    });
    expect(restored.value).toMatchObject({
      workflow: { version: 5, steps: [{ id: 'a' }], on_failure: [{ id: 'f' }] },
    });
  });
});
