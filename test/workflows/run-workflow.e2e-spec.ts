import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { ProbeTools } from './support/probe.tools.js';
import {
  createWorkflow,
  endWaits,
  getRun,
  type RunShape,
  runUntil,
  trigger,
} from './support/workflow-client.js';

const manual = { trigger: { type: 'manual' } };
const echo = (id: string, value: object) => ({ id, tool: 'probe_echo', arguments: { value } });
const miss = { id: 'miss', tool: 'get_contact', arguments: { contact_id: 'con_unknown' } };

describe.concurrent('a step that runs another workflow', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;
  let counter = 0;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  const workflow = async (steps: object[], organization = acme) =>
    (await createWorkflow(organization, steps, manual)).id;
  const ended = (runId: string) => runUntil(acme, runId, 'succeeded', 'failed', 'canceled');
  const run = async (steps: object[], payload: object = {}) =>
    await ended(await trigger(acme, await workflow(steps), payload));
  const stepOf = (of: RunShape, id = 'sub') => of.steps.find((step) => step.id === id)!;
  const childrenOf = (workflowId: string) =>
    switchboard.ownerQuery<{
      id: string;
      depth: number;
      status: string;
      contact_id: string | null;
    }>(
      'select id, depth, status, contact_id from workflow_runs where workflow_id = $1 order by created_at, id',
      [workflowId],
    );
  const started = async (steps: object[], childId: string) => {
    const runId = await trigger(acme, await workflow(steps));
    const parent = await runUntil(acme, runId, 'waiting');
    const [child] = await childrenOf(childId);
    return { runId, parent, childRunId: child!.id };
  };
  const hold = (name: string) => {
    ProbeTools.hold(name);
    return { id: 'hold', tool: 'probe_outside', arguments: { name } };
  };

  itSlow('fails a step when the outputs that it reads are together too large', async () => {
    const text = '{{ trigger.payload.text }}';
    const child = await workflow([echo('a', { text }), echo('b', { text })]);
    const sub = { id: 'sub', run_workflow: child, payload: { text } };
    const payload = { text: 'x'.repeat(600_000) };
    const kept = await run([sub, echo('after', { of: '{{ sub.status }}' })], payload);
    expect(kept.status).toBe('succeeded');
    const read = await run([sub, echo('after', { got: '{{ sub.outputs.a }}' })], payload);
    expect(read.reason).toBe('step_failed:after');
    expect(stepOf(read, 'after').error!.message).toMatch(
      /^The outputs have more than 1048576 bytes together\./,
    );
  });

  it('starts one run, waits for its end, and returns its outputs', async () => {
    const child = await workflow([echo('made', { of: '{{ trigger.payload.order }}' })]);
    const parent = await run(
      [
        { id: 'sub', run_workflow: child, payload: { order: '{{ trigger.payload.number }}' } },
        echo('after', { got: '{{ sub.outputs.made.value.of }}', of: '{{ sub.status }}' }),
      ],
      { number: 42 },
    );
    const children = await childrenOf(child);
    expect(children).toMatchObject([{ depth: 1, status: 'succeeded' }]);
    expect(stepOf(parent)).toMatchObject({
      status: 'succeeded',
      tool: null,
      input: { workflow_id: child, payload: { order: 42 }, contact_id: null },
      output: {
        run_id: children[0]!.id,
        status: 'succeeded',
        reason: null,
        outputs: { made: { value: { of: 42 } } },
      },
    });
    expect(stepOf(parent, 'after').output).toEqual({ value: { got: 42, of: 'succeeded' } });
    expect((await getRun(acme, children[0]!.id)).trigger).toEqual({
      type: 'manual',
      payload: { order: 42 },
    });
  });

  itSlow('shows the run that it waits for, and until when', async () => {
    const child = await workflow([hold('shown')]);
    const { runId, parent, childRunId } = await started(
      [{ id: 'sub', run_workflow: child, timeout: { hours: 1 } }],
      child,
    );
    expect(parent).toMatchObject({
      reason: 'event',
      steps: [{ status: 'waiting', output: { run_id: childRunId, until: expect.any(String) } }],
    });
    ProbeTools.open('shown');
    expect((await ended(runId)).status).toBe('succeeded');
  });

  itSlow('passes on the contact of the run, unless contact_id names another contact', async () => {
    counter += 1;
    const make = async (name: string) =>
      (
        await acme.call<{ contact: { id: string } }>('create_contact', {
          email: `${name}${counter}@example.com`,
        })
      ).value.contact.id;
    const [ada, bob] = [await make('ada'), await make('bob')];
    const child = await workflow([]);
    const parent = await workflow([
      { id: 'same', run_workflow: child },
      { id: 'other', run_workflow: child, contact_id: bob },
      { id: 'none', run_workflow: child, contact_id: '{{ trigger.payload.nobody }}' },
    ]);
    const { value } = await acme.call<{ run_id: string }>('trigger_workflow', {
      workflow_id: parent,
      contact_id: ada,
    });
    expect((await ended(value.run_id)).status).toBe('succeeded');
    const contacts = (await childrenOf(child)).map(({ contact_id }) => contact_id);
    expect(contacts).toEqual([ada, bob, null]);
  });

  it('does not wait with "wait": false', async () => {
    const child = await workflow([hold('alone')]);
    const parent = await run([{ id: 'sub', run_workflow: child, wait: false }]);
    const [row] = await childrenOf(child);
    expect(stepOf(parent).output).toEqual({ run_id: row!.id, status: 'queued', reason: null });
    ProbeTools.open('alone');
    expect((await ended(row!.id)).status).toBe('succeeded');
  });

  it('fails with the reason of the other run when that run fails', async () => {
    const child = await workflow([miss]);
    const parent = await run([{ id: 'sub', run_workflow: child }]);
    const [row] = await childrenOf(child);
    expect(parent).toMatchObject({ status: 'failed', reason: 'step_failed:sub' });
    expect(stepOf(parent)).toMatchObject({
      status: 'failed',
      attempts: 1,
      output: { run_id: row!.id, status: 'failed' },
      error: {
        code: 'rejected',
        message: `Run ${row!.id} failed at step miss: No contact has this id.`,
      },
    });
    const caught = await run([
      {
        id: 'sub',
        run_workflow: child,
        on_error: [echo('why', { why: '{{ sub.error.message }}' })],
      },
    ]);
    expect(caught.status).toBe('succeeded');
    expect(stepOf(caught, 'why').output).toMatchObject({ value: { why: expect.any(String) } });
  });

  itSlow(
    'runs several workflows at the same time, and fails with the first of them that fails',
    async () => {
      const child = await workflow([
        { ...miss, if: 'trigger.payload.bad' },
        echo('made', { of: '{{ trigger.payload.of }}' }),
      ]);
      const each = (id: string, payload: object) => ({
        id,
        for_each: ['a', 'b', 'c'],
        concurrency: 3,
        steps: [
          { id: `${id}_sub`, run_workflow: child, payload: { of: '{{ item }}', ...payload } },
        ],
      });
      const good = await run([
        each('good', {}),
        {
          id: 'pair',
          parallel: [[{ id: 'one', run_workflow: child }], [{ id: 'two', run_workflow: child }]],
        },
      ]);
      expect(good.status).toBe('succeeded');
      expect(stepOf(good, 'good[2].good_sub').output).toMatchObject({
        outputs: { made: { value: { of: 'c' } } },
      });
      expect(await childrenOf(child)).toHaveLength(5);
      const bad = await run([each('bad', { bad: true })]);
      expect(bad.reason).toMatch(/^step_failed:bad\[[0-2]\]\.bad_sub$/);
    },
  );

  itSlow('starts another run when its own run is retried', async () => {
    const child = await workflow([{ ...miss, if: 'trigger.payload.bad' }]);
    const parentId = await workflow([
      { id: 'sub', run_workflow: child, payload: { bad: '{{ trigger.payload.bad }}' } },
    ]);
    const runId = await trigger(acme, parentId, { bad: true });
    expect((await ended(runId)).status).toBe('failed');
    await acme.call('retry_run', { run_id: runId });
    await waitFor(async () => (await childrenOf(child)).length === 2);
    expect((await ended(runId)).status).toBe('failed');
  });

  itSlow('starts a new run after each failure, one at a time, as `retry` says', async () => {
    ProbeTools.failures.set('flaky', 2);
    const flaky = {
      id: 'flaky',
      tool: 'probe_fail',
      arguments: { name: 'flaky', code: 'conflict' },
    };
    const child = await workflow([flaky, echo('made', { of: 1 })]);
    const retry = { max_attempts: 3, backoff_seconds: 0 };
    const parent = await run([{ id: 'sub', run_workflow: child, retry }]);
    const step = stepOf(parent);
    expect(step).toMatchObject({ status: 'succeeded', attempts: 3 });
    const children = await childrenOf(child);
    expect(children.map(({ status }) => status)).toEqual(['failed', 'failed', 'succeeded']);
    expect(step.output).toMatchObject({ run_id: children[2]!.id });
    expect(step.failed_attempts.map(({ error }) => error.message)).toEqual(
      children.slice(0, 2).map(({ id }) => `Run ${id} failed at step flaky: Told to fail.`),
    );
    const [overlap] = await switchboard.ownerQuery<{ count: string }>(
      `select count(*) from workflow_runs a join workflow_runs b on b.workflow_id = a.workflow_id
       where a.workflow_id = $1 and a.created_at < b.created_at and b.created_at < a.finished_at`,
      [child],
    );
    expect(overlap!.count).toBe('0');
  });

  itSlow(
    'shows retry as the reason of the wait between two attempts, and fails after the last attempt',
    async () => {
      const child = await workflow([miss]);
      const retry = { max_attempts: 2, backoff_seconds: 3600 };
      const runId = await trigger(
        acme,
        await workflow([{ id: 'sub', run_workflow: child, retry }]),
      );
      const waiting = await waitFor(async () => {
        const found = await getRun(acme, runId);
        return found.reason === 'retry' ? found : undefined;
      });
      expect(stepOf(waiting)).toMatchObject({ status: 'waiting', attempts: 1, output: null });
      expect(await childrenOf(child)).toHaveLength(1);
      await endWaits(switchboard, runId);
      const failed = await ended(runId);
      const children = await childrenOf(child);
      expect(children).toHaveLength(2);
      expect(stepOf(failed)).toMatchObject({
        status: 'failed',
        attempts: 2,
        output: { run_id: children[1]!.id, status: 'failed' },
      });
    },
  );

  itSlow('starts no other run after a timeout, because the started run continues', async () => {
    const child = await workflow([{ id: 'pause', wait: { days: 1 } }]);
    const retry = { max_attempts: 3, backoff_seconds: 0 };
    const sub = { id: 'sub', run_workflow: child, timeout: { seconds: 0.01 }, retry };
    const failed = await run([sub]);
    expect(stepOf(failed)).toMatchObject({ attempts: 1, error: { code: 'unavailable' } });
    expect(await childrenOf(child)).toMatchObject([{ status: 'waiting' }]);
  });

  itSlow('fails when the other run is canceled', async () => {
    const child = await workflow([{ id: 'pause', wait: { days: 1 } }]);
    const { runId, childRunId } = await started([{ id: 'sub', run_workflow: child }], child);
    await acme.call('cancel_run', { run_id: childRunId });
    expect(stepOf(await ended(runId)).error).toEqual({
      code: 'rejected',
      message: `Run ${childRunId} was canceled.`,
    });
  });

  itSlow('fails when the other run is parked after three crashes', async () => {
    const child = await workflow([{ id: 'pause', wait: { days: 1 } }]);
    const { runId, childRunId } = await started([{ id: 'sub', run_workflow: child }], child);
    await runUntil(acme, childRunId, 'waiting');
    await switchboard.ownerQuery(
      `update workflow_runs set status = 'running', crashes = 2, epoch = epoch + 1, available_at = now() where id = $1`,
      [childRunId],
    );
    expect(stepOf(await ended(runId)).error).toEqual({
      code: 'rejected',
      message: `Run ${childRunId} failed: poison.`,
    });
  });

  itSlow('fails at once after the timeout, while the other run continues', async () => {
    const child = await workflow([{ id: 'pause', wait: { days: 1 } }]);
    const parent = await run([{ id: 'sub', run_workflow: child, timeout: { seconds: 1 } }]);
    const [row] = await childrenOf(child);
    expect(stepOf(parent)).toMatchObject({
      attempts: 1,
      output: { run_id: row!.id, status: 'waiting' },
      error: {
        code: 'unavailable',
        message: `Run ${row!.id} did not end before the timeout; it continues.`,
      },
    });
    expect(await childrenOf(child)).toMatchObject([{ status: 'waiting' }]);
  });

  it('cancels the run that it waits for when its own run is canceled, and starts another run after a retry', async () => {
    const leaf = await workflow([hold('canceled leaf')]);
    const middle = await workflow([{ id: 'sub', run_workflow: leaf }]);
    const { runId, childRunId } = await started([{ id: 'sub', run_workflow: middle }], middle);
    await waitFor(async () => (await childrenOf(leaf))[0]?.status === 'running');
    await acme.call('cancel_run', { run_id: runId });
    expect(await getRun(acme, childRunId)).toMatchObject({
      status: 'canceled',
      reason: 'parent_ended',
    });
    expect(await childrenOf(leaf)).toMatchObject([{ status: 'canceled' }]);
    ProbeTools.open('canceled leaf');
    await acme.call('retry_run', { run_id: runId });
    expect((await ended(runId)).status).toBe('succeeded');
    expect(await childrenOf(middle)).toMatchObject([
      { id: childRunId, status: 'canceled' },
      { status: 'succeeded' },
    ]);
  });

  itSlow('cancels the run that it waits for when its own run is canceled in bulk', async () => {
    const child = await workflow([{ id: 'pause', wait: { days: 1 } }]);
    const parentId = await workflow([{ id: 'sub', run_workflow: child }]);
    const runIds = [await trigger(acme, parentId), await trigger(acme, parentId)];
    for (const runId of runIds) await runUntil(acme, runId, 'waiting');
    await waitFor(async () =>
      (await childrenOf(child)).every(({ status }) => status === 'waiting'),
    );
    await acme.call('bulk_cancel_runs', { workflow_id: parentId, status: 'waiting' });
    expect(await childrenOf(child)).toMatchObject([{ status: 'canceled' }, { status: 'canceled' }]);
  });

  itSlow(
    'does not cancel the other run if on_parent_end is continue, and waits for that run again after a retry',
    async () => {
      const child = await workflow([hold('orphan')]);
      const { runId, childRunId } = await started(
        [{ id: 'sub', run_workflow: child, on_parent_end: 'continue' }],
        child,
      );
      await acme.call('cancel_run', { run_id: runId });
      ProbeTools.open('orphan');
      expect((await ended(childRunId)).status).toBe('succeeded');
      expect((await getRun(acme, runId)).status).toBe('canceled');
      await acme.call('retry_run', { run_id: runId });
      expect(stepOf(await ended(runId)).output).toMatchObject({ run_id: childRunId });
      expect(await childrenOf(child)).toHaveLength(1);
    },
  );

  it('starts only one run although two workers die', async () => {
    const child = await workflow([hold('taken over')]);
    const { runId, childRunId } = await started([{ id: 'sub', run_workflow: child }], child);
    for (let death = 0; death < 2; death += 1) {
      await switchboard.ownerQuery(
        `update workflow_runs set status = 'running', epoch = epoch + 1, available_at = now() where id = $1`,
        [runId],
      );
      await runUntil(acme, runId, 'waiting');
    }
    ProbeTools.open('taken over');
    expect(stepOf(await ended(runId)).output).toMatchObject({ run_id: childRunId });
    expect(await childrenOf(child)).toHaveLength(1);
  });

  it('stops at a depth of 8, and every run above shows the reason', async () => {
    const id = await workflow([]);
    const { error } = await acme.call('update_workflow', {
      workflow_id: id,
      steps: [{ id: 'sub', run_workflow: id }],
    });
    expect(error).toBeUndefined();
    const top = await ended(await trigger(acme, id));
    const chain = await childrenOf(id);
    expect(chain.map(({ depth }) => depth).sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(chain.every(({ status }) => status === 'failed')).toBe(true);
    expect(stepOf(top).error!.message).toContain('A chain of runs has at most 8 starts.');
  });

  itSlow.each([
    ['no id', 'run_workflow is not the id of a workflow.', 'invalid_arguments'],
    ['x'.repeat(32), 'No workflow has this id.', 'not_found'],
    [{ id: 'x' }, 'run_workflow is not the id of a workflow.', 'invalid_arguments'],
  ])('fails at run time for a value that is not a workflow: %j', async (given, message, code) => {
    const parent = await run([{ id: 'sub', run_workflow: '{{ trigger.payload.id }}' }], {
      id: given,
    });
    expect(stepOf(parent)).toMatchObject({ attempts: 1, error: { code, message } });
  });

  it('never starts workflows of other organizations, deleted workflows or inactive workflows', async () => {
    const rival = await createOrganization(switchboard);
    const foreign = await workflow([], rival);
    const deleted = await workflow([]);
    await acme.call('delete_workflow', { workflow_id: deleted });
    for (const id of [foreign, deleted]) {
      const parent = await run([{ id: 'sub', run_workflow: '{{ trigger.payload.id }}' }], { id });
      expect(stepOf(parent).error).toEqual({
        code: 'not_found',
        message: 'No workflow has this id.',
      });
      const { error } = await acme.call('create_workflow', {
        name: 'Wrong',
        ...manual,
        steps: [{ id: 'sub', run_workflow: id }],
      });
      expect(error!.details).toEqual([
        { path: 'steps[0].run_workflow', message: `there is no workflow "${id}"` },
      ]);
    }
    const inactive = await workflow([]);
    await acme.call('deactivate_workflow', { workflow_id: inactive });
    const parent = await run([{ id: 'sub', run_workflow: inactive }]);
    expect(stepOf(parent).error).toMatchObject({ code: 'conflict' });
  });

  it.each([
    [{ run_workflow: 'nowhere' }, 'run_workflow', /no workflow "nowhere"/],
    [{ run_workflow: '' }, 'run_workflow', /text/],
    [{ run_workflow: '{{ later.id }}' }, 'run_workflow', /refers to "later"/],
    [{ run_workflow: '{{ workflow.id }}', payload: [] }, 'payload', /must be an object/],
    [{ run_workflow: '{{ workflow.id }}', wait: {} }, 'wait', /true or false/],
    [
      { run_workflow: '{{ workflow.id }}', wait: false, timeout: { days: 1 } },
      'timeout',
      /no meaning/,
    ],
    [
      { run_workflow: '{{ workflow.id }}', retry: { max_attempts: 11 } },
      'retry.max_attempts',
      /at most 10/,
    ],
    [{ run_workflow: '{{ workflow.id }}', on_parent_end: 'stop' }, 'on_parent_end', /"continue"/],
    [
      { run_workflow: '{{ workflow.id }}', wait: false, on_parent_end: 'cancel' },
      'on_parent_end',
      /no meaning/,
    ],
  ])('is refused at save with the path to its fault: %j', async (fields, member, message) => {
    const { status, error } = await acme.call('create_workflow', {
      name: 'Wrong',
      ...manual,
      steps: [{ id: 'sub', ...fields }],
    });
    expect(status).toBe(422);
    expect(error!.details).toContainEqual({
      path: `steps[0].${member}`,
      message: expect.stringMatching(message),
    });
  });
});
