import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import {
  createWorkflow,
  endWaits,
  postWebhook,
  runToEnd,
  runUntil,
} from './support/workflow-client.js';

interface StoredRun {
  status: string;
  reason: string | null;
  depth: number;
  root: string | null;
  epoch: number;
}

const MISSING = { id: 'look', tool: 'get_contact', arguments: { email: 'nobody@example.com' } };
const retryOf = (id: string, runId: string) => ({
  id,
  tool: 'retry_run',
  arguments: { run_id: runId },
  on_error: 'continue',
});

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

/** Returns the rows of runs. The epoch of a run counts how often a worker has claimed it. */
const stored = async (workflowIds: readonly string[]): Promise<StoredRun[]> =>
  await switchboard.ownerQuery<StoredRun>(
    `select status, reason, depth, root_run_id as root, epoch from workflow_runs
     where workflow_id = any ($1) order by created_at, id`,
    [workflowIds],
  );

/** Changes columns of a run, as an earlier run of a chain would have stored them. */
const place = async (runId: string, depth: number, root: string | null = null): Promise<void> => {
  const sql = 'update workflow_runs set depth = $2, root_run_id = $3 where id = $1';
  await switchboard.ownerQuery(sql, [runId, depth, root]);
};

describe('a retry of a run by a step', () => {
  it('ends a loop in which a failed run starts a workflow that retries the run', async () => {
    const other = await createOrganization(switchboard);
    const bad = await createWorkflow(other, [MISSING]);
    const retrying = await createWorkflow(
      other,
      [retryOf('again', '{{ trigger.payload.run.id }}')],
      { trigger: { type: 'event', event: 'run.failed' } },
    );
    const { id } = await runToEnd(other, bad.id);
    const followers = await waitFor(async () => {
      const rows = await stored([retrying.id]);
      return rows.some(({ reason }) => reason === 'loop') ? rows : undefined;
    });
    expect(followers.map(({ depth }) => depth)).toEqual([1, 3, 5, 7, 9]);
    expect(followers.every(({ root }) => root === id)).toBe(true);
    expect(await stored([bad.id])).toMatchObject([{ status: 'failed', depth: 8, root: null }]);
  });

  it('is refused when the chain of the calling run is too long', async () => {
    const bad = await createWorkflow(acme, [MISSING]);
    const failed = await runToEnd(acme, bad.id);
    const { id } = await createWorkflow(acme, [
      { id: 'gate', wait: { days: 1 } },
      retryOf('again', failed.id),
    ]);
    const { body } = await postWebhook(switchboard, id, {});
    await runUntil(acme, body.runId, 'waiting');
    await place(body.runId, 8);
    await endWaits(switchboard, body.runId);
    const run = await runUntil(acme, body.runId, 'succeeded');
    expect(run.steps.at(-1)).toMatchObject({
      id: 'again',
      status: 'failed',
      error: { code: 'conflict', message: expect.stringContaining('at most 8') as string },
    });
    expect(await stored([bad.id])).toMatchObject([{ status: 'failed', depth: 0 }]);
  });

  it('makes the run follow from the first run of the chain, and raises the depth of the run again', async () => {
    const bad = await createWorkflow(acme, [MISSING]);
    const failed = await runToEnd(acme, bad.id);
    const caller = await createWorkflow(acme, [retryOf('again', failed.id)]);
    const start = { id: 'start', run_workflow: caller.id };
    const parent = await createWorkflow(acme, [start]);
    const direct = await runToEnd(acme, caller.id);
    await runUntil(acme, failed.id, 'failed');
    expect(await stored([bad.id])).toMatchObject([{ depth: 1, root: direct.id }]);
    // A run that a schedule or a person starts can retry the run any number of times.
    const second = await runToEnd(acme, caller.id);
    await runUntil(acme, failed.id, 'failed');
    expect(await stored([bad.id])).toMatchObject([{ depth: 1, root: second.id }]);
    for (const depth of [2, 3]) {
      expect(await runToEnd(acme, parent.id)).toMatchObject({ status: 'succeeded' });
      await runUntil(acme, failed.id, 'failed');
      expect(await stored([bad.id])).toMatchObject([{ depth, root: second.id }]);
    }
    await place(failed.id, 8);
    const refused = await runToEnd(acme, parent.id);
    expect(refused.status).toBe('succeeded');
    expect(await stored([bad.id])).toMatchObject([{ status: 'failed', depth: 8 }]);
  });
});

describe('a retry of a run by a person', () => {
  it('lets the run start other runs after steps have retried it up to the limit', async () => {
    const other = await createOrganization(switchboard);
    const child = await createWorkflow(other, [{ id: 'done', set: { a: 1 } }]);
    const start = { id: 'start', run_workflow: child.id };
    const main = await createWorkflow(other, [MISSING, start]);
    const { id } = await runToEnd(other, main.id);
    const retrying = await createWorkflow(other, [retryOf('again', id)]);
    const first = await runToEnd(other, retrying.id);
    await runUntil(other, id, 'failed');
    expect(await stored([main.id])).toMatchObject([{ depth: 1, root: first.id }]);
    // The depth that a run has after eight retries by steps.
    await place(id, 8, first.id);
    await other.call('create_contact', { email: 'nobody@example.com' });
    expect((await other.call('retry_run', { run_id: id })).error).toBeUndefined();
    expect(await runUntil(other, id, 'succeeded', 'failed')).toMatchObject({ status: 'succeeded' });
    expect(await stored([main.id])).toMatchObject([{ depth: 0, root: null }]);
    expect(await stored([child.id])).toMatchObject([{ depth: 1, root: id }]);
  });
});

describe('a retry by a step of a run that begins a chain', () => {
  it('gives the retried run the place of a run that the step starts', async () => {
    const bad = await createWorkflow(acme, [MISSING]);
    const failed = await runToEnd(acme, bad.id);
    await place(failed.id, 8, 'run_0');
    const caller = await createWorkflow(acme, [retryOf('again', failed.id)]);
    const { id } = await runToEnd(acme, caller.id);
    await runUntil(acme, failed.id, 'failed');
    expect(await stored([bad.id])).toMatchObject([{ depth: 1, root: id }]);
  });
});
