import { beforeAll, describe, expect, it } from 'vitest';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { RunJournalRepository } from '../../src/workflows/journal/run-journal.repository.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, postWebhook, type RunShape, runUntil } from './support/workflow-client.js';

/** A long text. An output with two such texts is slightly smaller than the largest output of a step, 1.5 MiB. */
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

  it('with many small values count as a quarter of the memory that they take', async () => {
    const values = Array.from({ length: 45 }, (_, index) => [
      `v${index}`,
      '{{ trigger.payload.objects }}',
    ]);
    const steps = Array.from({ length: 10 }, (_, index) => ({
      id: `set_${index}`,
      set: Object.fromEntries(values) as object,
    }));
    const { id } = await createWorkflow(acme, steps);
    const { body } = await postWebhook(switchboard, id, {
      objects: Array.from({ length: 9900 }, () => ({})),
    });
    const { reason } = await runUntil(acme, body.runId, 'succeeded', 'failed');
    expect(reason).toMatch(/^step_failed:/);
  });

  it('have at most 400,000 values: a step with more values fails, and the run can continue', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 45 }, (_, index) => [`v${index}`, '{{ trigger.payload.objects }}']),
    );
    const { id } = await createWorkflow(acme, [
      { id: 'many', set: many, on_error: 'continue' },
      { id: 'why', set: { code: '{{ many.error.code }}' } },
    ]);
    const objects = Array.from({ length: 9900 }, () => ({}));
    const { body } = await postWebhook(switchboard, id, { objects });
    const { status } = await runUntil(acme, body.runId, 'succeeded', 'failed');
    expect(status).toBe('succeeded');
    expect(await rowOf(body.runId, 'many')).toMatchObject({
      status: 'failed',
      output: null,
      error: { message: expect.stringContaining('400000 values') as string },
    });
    expect(await rowOf(body.runId, 'why')).toMatchObject({
      output: { vars: { code: 'invalid_arguments' } },
    });
  });

  it('are not parsed, and end their run, when SQL of a tool has stored more than 400,000 values in them', async () => {
    const { id } = await createWorkflow(acme, [{ id: 'pause', wait: { days: 1 } }]);
    const { body } = await postWebhook(switchboard, id, {});
    await runUntil(acme, body.runId, 'waiting');
    await switchboard.ownerQuery(
      `insert into run_steps (organization_id, run_id, step_id, position, status, attempts, started_at, output)
       values ($1, $2, 'x', 1000, 'succeeded', 1, now(), ('[' || repeat('{},', 2000000) || '{}]')::json)`,
      [acme.id, body.runId],
    );
    await switchboard.ownerQuery(`update workflow_runs set available_at = now() where id = $1`, [
      body.runId,
    ]);
    const ended = await waitFor(async () => {
      const sql = `select reason from workflow_runs where id = $1 and status = 'failed'`;
      return (await switchboard.ownerQuery(sql, [body.runId]))[0];
    });
    expect(ended).toEqual({ reason: 'too_large' });
  });

  it('are measured before they are read, even if the column `cut` has a wrong size', async () => {
    const { id } = await createWorkflow(acme, [WAIT]);
    const { body } = await postWebhook(switchboard, id, {});
    await switchboard.ownerQuery(
      `insert into run_steps (organization_id, run_id, step_id, position, status, attempts, error, started_at, cut)
       values ($1, $2, 'x', 1000, 'succeeded', 1, json_build_object('code', repeat('x', 3000000)), now(),
         '{"input": {"bytes": -3000000, "preview": ""}}')`,
      [acme.id, body.runId],
    );
    const journal = switchboard.app.get(RunJournalRepository, { strict: false });
    const tenants = switchboard.app.get(TenantDatabase);
    const [entries, bytes] = await tenants.transaction(
      acme.id,
      async () => [
        await journal.readSmall(acme.id, body.runId, 2_000_000),
        await journal.estimate(acme.id, body.runId),
      ],
      { readOnly: true },
    );
    expect(entries).toEqual([]);
    expect(bytes).toBeGreaterThan(0);
  });

  itSlow.each([
    ['output', '{"output": {"bytes": 1500019, "preview": ""}}'],
    ['output', '{"output": {"bytes": -1500019, "preview": ""}}'],
    ['error', null],
  ])(
    'make a waiting run fail when it continues, if more than 128 MiB are stored in the column %s and `cut` is %s',
    async (column, cut) => {
      const { id } = await createWorkflow(acme, [
        { id: 'first', set: { a: 1 } },
        { id: 'pause', wait: { seconds: 8 } },
        { id: 'after', set: { a: 2 } },
      ]);
      const { body } = await postWebhook(switchboard, id, {});
      await runUntil(acme, body.runId, 'waiting');
      await switchboard.ownerQuery(
        `insert into run_steps (organization_id, run_id, step_id, position, status, attempts, ${column}, started_at, cut)
       select organization_id, run_id, 'set_' || n, position + n * 1000, 'succeeded', 1,
         json_build_object('vars', json_build_object('a', repeat('x', 1500000))), now(), $2
       from run_steps, generate_series(1, 100) n where run_id = $1 and step_id = 'first'`,
        [body.runId, cut],
      );
      const ended = await waitFor(async () => {
        const [found] = await switchboard.ownerQuery(
          `select status, reason from workflow_runs where id = $1 and status in ('succeeded', 'failed')`,
          [body.runId],
        );
        return found;
      });
      expect(ended).toEqual({ status: 'failed', reason: 'too_large' });
      expect(await rowOf(body.runId, 'after')).toBeUndefined();
    },
  );
});
