import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { ProbeTools } from './support/probe.tools.js';
import {
  createWorkflow,
  endWaits,
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

describe('the options of steps', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  const run = async (steps: object[], payload: object = {}): Promise<RunShape> =>
    await runToEnd(acme, (await createWorkflow(acme, steps)).id, payload);
  const states = (ended: RunShape) => ended.steps.map(({ id, status }) => `${id} ${status}`);

  it('on_error: runs steps that see the error after a failure, and continues', async () => {
    const ended = await run([
      fail('broken', 'handled', {
        on_error: [
          echo('told', { code: '{{ broken.error.code }}' }),
          { id: 'which', if: "broken.error.code == 'conflict'", then: [echo('known', {})] },
        ],
      }),
      echo('after', { code: '{{ broken.error.code }}' }),
    ]);
    expect(ended.status).toBe('succeeded');
    expect(states(ended)).toEqual([
      'broken failed',
      'told succeeded',
      'which succeeded',
      'known succeeded',
      'after succeeded',
    ]);
    expect(ended.steps[1]!.output).toEqual({ value: { code: 'conflict' } });
  });

  it('on_error: runs its steps only after a failure of the last attempt', async () => {
    ProbeTools.failures.set('mended', 1);
    const ended = await run([
      {
        id: 'flaky',
        tool: 'probe_fail',
        arguments: { name: 'mended', code: 'unavailable' },
        retry: { backoff_seconds: 0 },
        on_error: [echo('never', {})],
      },
    ]);
    expect(states(ended)).toEqual(['flaky succeeded']);
    expect(ended.steps[0]!.attempts).toBe(2);
  });

  it('on_error: fails the run when one of its steps fails, and a retry continues there', async () => {
    ProbeTools.failures.set('handler', 1);
    const ended = await run([
      fail('broken', 'once', { on_error: [fail('also', 'handler'), echo('rest', {})] }),
    ]);
    expect(ended).toMatchObject({ status: 'failed', reason: 'step_failed:also' });
    await acme.call('retry_run', { run_id: ended.id });
    const retried = await runUntil(acme, ended.id, 'succeeded', 'failed');
    expect(states(retried)).toEqual(['broken failed', 'also succeeded', 'rest succeeded']);
    expect(ProbeTools.count('once')).toBe(1);
  });

  it('on_error: also applies to waits and branches', async () => {
    const ended = await run(
      [
        {
          id: 'pause',
          wait: { until: '{{ trigger.payload.at }}' },
          on_error: [echo('no_time', {})],
        },
        { id: 'fork', if: 'trigger.payload.at', then: [echo('yes', {})], on_error: 'continue' },
      ],
      { at: 'tomorrow' },
    );
    expect(ended.status).toBe('succeeded');
    expect(states(ended)).toEqual([
      'pause failed',
      'no_time succeeded',
      'fork succeeded',
      'yes succeeded',
    ]);
  });

  it('on_error: hides its steps from steps outside the list', async () => {
    const { error } = await acme.call('create_workflow', {
      name: 'Wrong',
      trigger: { type: 'manual' },
      steps: [
        fail('broken', 'x', {
          on_error: [echo('in', { a: '{{ broken.error }}' }), { id: 'bad', tool: 'nothing' }],
        }),
        echo('out', { a: '{{ in.value }}' }),
      ],
    });
    expect(error!.details!.map(({ path }) => path)).toEqual([
      'steps[0].on_error[1].tool',
      'steps[1].arguments.value.a',
    ]);
  });

  it('if: skips a wait when the condition is false', async () => {
    const ended = await run([{ id: 'pause', if: 'trigger.payload.slow', wait: { days: 1 } }]);
    expect(states(ended)).toEqual(['pause skipped']);
  });

  itSlow('retry: waits as long as the policy says', async () => {
    const workflow = await createWorkflow(acme, [
      {
        id: 'away',
        tool: 'probe_fail',
        arguments: { name: 'away', code: 'unavailable' },
        retry: { max_attempts: 3, backoff_seconds: 600, backoff_factor: 2 },
      },
    ]);
    const runId = await trigger(acme, workflow.id);
    for (const [attempt, seconds] of [
      [1, 600],
      [2, 1200],
    ]) {
      await expect
        .poll(
          async () => {
            const [row] = await switchboard.ownerQuery<{ attempts: number; seconds: number }>(
              `select s.attempts, round(extract(epoch from r.available_at - now()) / 600)::int * 600 as seconds
             from workflow_runs r join run_steps s on s.run_id = r.id where r.id = $1 and r.status = 'waiting'`,
              [runId],
            );
            return row;
          },
          { timeout: 20_000 },
        )
        .toEqual({ attempts: attempt, seconds });
      await endWaits(switchboard, runId);
    }
    expect((await runUntil(acme, runId, 'failed')).steps[0]!.attempts).toBe(3);
  });

  itSlow('timeout: ends a step that never returns, while other steps continue', async () => {
    ProbeTools.hold('stuck');
    ProbeTools.hold('stuck inside');
    const stuck = (tool: string, name: string) =>
      createWorkflow(acme, [
        {
          id: 'stuck',
          tool,
          arguments: { name },
          timeout: 1,
          retry: { max_attempts: 2, backoff_seconds: 0 },
        },
      ]);
    const outside = await trigger(acme, (await stuck('probe_outside', 'stuck')).id);
    const inside = await trigger(acme, (await stuck('probe_effect', 'stuck inside')).id);
    expect((await run([echo('other', {})])).status).toBe('succeeded');
    for (const runId of [outside, inside]) {
      expect(await runUntil(acme, runId, 'succeeded', 'failed')).toMatchObject({
        status: 'failed',
        reason: 'step_failed:stuck',
        steps: [
          {
            attempts: 2,
            error: { code: 'unavailable', message: 'The tool did not answer within 1 s.' },
          },
        ],
      });
    }
    ProbeTools.open('stuck');
    ProbeTools.open('stuck inside');
    const effects = await acme.call<{ contacts: [] }>('search_contacts', { query: 'stuck inside' });
    expect(effects.value.contacts).toEqual([]);
  });

  it('timeout: is at most 25 s for tools that run in a transaction', async () => {
    const save = async (tool: string, given: object) =>
      (
        await acme.call('create_workflow', {
          name: 'Slow',
          trigger: { type: 'manual' },
          steps: [{ id: 'a', tool, arguments: given, timeout: 26 }],
        })
      ).error?.details;
    expect(await save('probe_outside', { name: 'x' })).toBeUndefined();
    expect(await save('probe_effect', { name: 'x' })).toEqual([
      {
        path: 'steps[0].timeout',
        message: 'must be at most 25: "probe_effect" calls no external system',
      },
    ]);
  });
});
