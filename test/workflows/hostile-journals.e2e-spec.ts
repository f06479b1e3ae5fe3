import { beforeAll, describe, expect, it } from 'vitest';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { RunStepsRepository } from '../../src/workflows/journal/run-steps.repository.js';
import { getTask } from '../mcp/support/task-client.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { createWorkflow, getRun, postWebhook, runUntil } from './support/workflow-client.js';

const SET = { id: 'first', set: { a: 1 } };

let switchboard: RunningSwitchboard;
let steps: RunStepsRepository;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  steps = switchboard.app.get(RunStepsRepository, { strict: false });
  acme = await createOrganization(switchboard);
});

const inTransaction = <T>(work: () => Promise<T>): Promise<T> =>
  switchboard.app.get(TenantDatabase).transaction(acme.id, work, { readOnly: true });

/** Runs a workflow, and adds rows to its journal in the database, as SQL of a tool can. */
const runWithRows = async (count: number, columns: string, values: string): Promise<string> => {
  const { id } = await createWorkflow(acme, [SET]);
  const { body } = await postWebhook(switchboard, id, {});
  await runUntil(acme, body.runId, 'succeeded');
  await switchboard.ownerQuery(
    `insert into run_steps
       (organization_id, run_id, step_id, position, attempts, started_at, status${columns})
     select $1, $2, 'x' || n, n + 10, 1, now(), ${values} from generate_series(1, $3::integer) n`,
    [acme.id, body.runId, count],
  );
  return body.runId;
};

describe('the outcome of a run', () => {
  it('has no outputs when SQL of a tool has stored more steps than a definition can have', async () => {
    const runId = await runWithRows(1000, '', `'succeeded'`);
    expect((await getTask(acme, runId)).result?.structuredContent).toEqual({
      run_id: runId,
      status: 'succeeded',
      message: 'The outputs are of more than 1000 steps. Read them with get_run and get_run_value.',
    });
    const found = await inTransaction(() => steps.outcomes(acme.id, runId, 4096));
    expect(found).toEqual({ fault: 'are of more than 1000 steps' });
  });

  it('has no outputs larger than the limit, whatever size the column `cut` says', async () => {
    const runId = await runWithRows(
      1,
      ', output, cut',
      `'succeeded', json_build_object('a', repeat('x', 100000)), '{"output": {"bytes": -1, "preview": ""}}'`,
    );
    const found = await inTransaction(() => steps.outcomes(acme.id, runId, 90_000));
    expect(found).toEqual({ fault: 'have more than 90000 bytes together' });
    const all = await inTransaction(() => steps.outcomes(acme.id, runId, 110_000));
    expect(all).toMatchObject({ steps: [{ stepId: 'first' }, { stepId: 'x1' }] });
  });

  it('counts the errors of failed steps when they are read', async () => {
    const error = `json_build_object('code', 'conflict', 'message', repeat('x', 100000))`;
    const runId = await runWithRows(1, ', error', `'failed', ${error}`);
    const read = (hasErrors: boolean) =>
      inTransaction(() => steps.outcomes(acme.id, runId, 90_000, { hasErrors }));
    expect(await read(true)).toHaveProperty('fault');
    expect(await read(false)).toMatchObject({ steps: [{ error: null }, { error: null }] });
  });
});

describe('a running run', () => {
  it('is planned from the number of items of a loop, and no list of this length is made', async () => {
    const items = `json_build_object('items', (select json_agg(0) from generate_series(1, 200000)))`;
    const runId = await runWithRows(1, ', input', `'running', ${items}`);
    const planned = await inTransaction(() => steps.plan(acme.id, runId));
    expect(planned!.find(({ stepId }) => stepId === 'x1')).toEqual({
      stepId: 'x1',
      status: 'running',
      output: null,
      progress: null,
      itemCount: 200_000,
    });
  });

  it('is shown without its current step when it has more than 20,000 stored steps', async () => {
    const runId = await runWithRows(20_000, '', `'succeeded'`);
    expect(await inTransaction(() => steps.plan(acme.id, runId))).toBeUndefined();
    await switchboard.ownerQuery(
      `update workflow_runs set status = 'failed', reason = 'poison' where id = $1`,
      [runId],
    );
    expect(await getRun(acme, runId)).toMatchObject({ status: 'failed' });
  });
});
