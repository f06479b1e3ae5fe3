import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { createWorkflow, postWebhook, type RunShape, runUntil } from './support/workflow-client.js';

/** A text of which two are nearly the largest output of a step, 1.5 MiB. */
const LARGE = 'x'.repeat(750_000);
/** This number of outputs with two such texts exceeds the limit of 64 MiB. */
const TOO_MANY = 46;
const TWICE = { a: '{{ trigger.payload.text }}', b: '{{ trigger.payload.text }}' };
const WAIT = { id: 'pause', wait: { seconds: 1 } };

const setSteps = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ id: `set_${index}`, set: TWICE }));

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const run = async (steps: object[], more: object = {}): Promise<RunShape> => {
  const { id } = await createWorkflow(acme, steps, more);
  const { body } = await postWebhook(switchboard, id, { text: LARGE });
  return await runUntil(acme, body.runId, 'succeeded', 'failed');
};

const rowOf = async (runId: string, stepId: string) => {
  const [row] = await switchboard.ownerQuery(
    'select status, output, error from run_steps where run_id = $1 and step_id = $2',
    [runId, stepId],
  );
  return row;
};

describe('the inputs and outputs of a run', () => {
  it('have together at most 64 MiB, also after a wait: the step that exceeds the limit fails', async () => {
    const echo = { id: 'echo', tool: 'probe_echo', arguments: { value: TWICE } };
    const ended = await run(
      [
        ...setSteps(44),
        WAIT,
        { ...echo, on_error: 'continue' },
        { id: 'small', set: { length: '{{ vars.a | size }}', code: '{{ echo.error.code }}' } },
        { id: 'large', set: TWICE },
      ],
      { on_failure: [{ id: 'note', set: { of: '{{ failure.step }}' } }] },
    );
    expect(ended).toMatchObject({ status: 'failed', reason: 'step_failed:large' });
    expect(await rowOf(ended.id, 'echo')).toMatchObject({ status: 'failed', output: null });
    expect(await rowOf(ended.id, 'small')).toMatchObject({
      output: { vars: { length: LARGE.length, code: 'invalid_arguments' } },
    });
    expect(await rowOf(ended.id, 'large')).toMatchObject({
      status: 'failed',
      output: null,
      error: {
        code: 'invalid_arguments',
        message: expect.stringContaining('larger than 67108864 bytes') as string,
      },
    });
    expect(await rowOf(ended.id, 'note')).toMatchObject({ output: { vars: { of: 'large' } } });
  });

  it('do not count when they are inside finished items of a loop, before and after a wait', async () => {
    const ended = await run([
      {
        id: 'each',
        for_each: Array.from({ length: TOO_MANY }, (_, index) => index),
        steps: [{ id: 'inner', set: TWICE }],
        output: '{{ item }}',
      },
      WAIT,
      { id: 'after', set: { end: '{{ each.results | last }}', ...TWICE } },
    ]);
    expect(ended.status).toBe('succeeded');
    expect(await rowOf(ended.id, 'after')).toMatchObject({
      output: { vars: { end: TOO_MANY - 1 } },
    });
  });

  itSlow(
    'fail the run when it continues, if an earlier release stored more than 128 MiB of them',
    async () => {
      const { id } = await createWorkflow(acme, [
        { id: 'first', set: { a: 1 } },
        { id: 'pause', wait: { seconds: 8 } },
        { id: 'after', set: { a: 2 } },
      ]);
      const { body } = await postWebhook(switchboard, id, {});
      await runUntil(acme, body.runId, 'waiting');
      await switchboard.ownerQuery(
        `insert into run_steps (organization_id, run_id, step_id, position, status, attempts, output, started_at, cut)
       select organization_id, run_id, 'set_' || n, position + n * 1000, 'succeeded', 1,
         json_build_object('vars', json_build_object('a', repeat('x', 1500000))), now(),
         '{"output": {"bytes": 1500019, "preview": ""}}'
       from run_steps, generate_series(1, 100) n where run_id = $1 and step_id = 'first'`,
        [body.runId],
      );
      expect(await runUntil(acme, body.runId, 'succeeded', 'failed')).toMatchObject({
        status: 'failed',
        reason: 'too_large',
      });
      expect(await rowOf(body.runId, 'after')).toBeUndefined();
    },
  );
});
