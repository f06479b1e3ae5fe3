import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { ProbeTools } from './support/probe.tools.js';
import {
  createWorkflow,
  getRun,
  postWebhook,
  type RunShape,
  runToEnd,
  runUntil,
} from './support/workflow-client.js';

describe('a retry or replay of runs', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  const effect = (id: string, name: string) => ({ id, tool: 'probe_effect', arguments: { name } });
  const fail = (id: string, name: string, more: object = {}) => ({
    id,
    tool: 'probe_fail',
    arguments: { name, code: 'conflict' },
    ...more,
  });
  const retry = (runId: string, version?: string) =>
    acme.call<{ run: RunShape }>('retry_run', { run_id: runId, version });
  const replay = (runId: string, given: object = {}) =>
    acme.call<{ run: RunShape }>('replay_run', { run_id: runId, ...given });
  const update = (id: string, steps: object[]) =>
    acme.call('update_workflow', { workflow_id: id, steps });

  it('continues in the newest version and keeps the results of finished steps', async () => {
    const workflow = await createWorkflow(acme, [
      effect('before', 'latest before'),
      fail('broken', 'latest broken'),
      effect('after', 'latest after'),
    ]);
    const failed = await runToEnd(acme, workflow.id);
    await update(workflow.id, [
      effect('before', 'latest before'),
      { id: 'broken', tool: 'probe_echo', arguments: { value: { by: '{{ run.id }}' } } },
      effect('after', 'latest after, as of now'),
      effect('more', 'latest more'),
    ]);
    expect((await retry(failed.id, 'latest')).value.run).toMatchObject({ workflow_version: 2 });
    const run = await runUntil(acme, failed.id, 'succeeded', 'failed');
    expect(run).toMatchObject({ status: 'succeeded', reason: null });
    expect(run.steps.map(({ id, tool, status }) => [id, tool, status])).toEqual([
      ['before', 'probe_effect', 'succeeded'],
      ['broken', 'probe_echo', 'succeeded'],
      ['after', 'probe_effect', 'succeeded'],
      ['more', 'probe_effect', 'succeeded'],
    ]);
    expect(ProbeTools.count('latest before')).toBe(1);
    expect(ProbeTools.count('latest after')).toBe(0);
  });

  it('continues the run in the version that it began with, by default', async () => {
    const workflow = await createWorkflow(acme, [fail('broken', 'same broken')]);
    const failed = await runToEnd(acme, workflow.id);
    await update(workflow.id, []);
    expect((await retry(failed.id)).value.run.workflow_version).toBe(1);
    expect((await runUntil(acme, failed.id, 'succeeded', 'failed')).status).toBe('failed');
    expect((await retry(failed.id, 'latest')).value.run.workflow_version).toBe(2);
    expect((await runUntil(acme, failed.id, 'succeeded', 'failed')).status).toBe('succeeded');
  });

  it('rejects a retry in the newest version when a finished step differs there, and changes nothing', async () => {
    const workflow = await createWorkflow(acme, [effect('a', 'refused'), fail('b', 'refused')]);
    const failed = await runToEnd(acme, workflow.id);
    await update(workflow.id, [{ id: 'a', wait: { seconds: 1 } }, fail('b', 'refused')]);
    const { error } = await retry(failed.id, 'latest');
    expect(error!.code).toBe('conflict');
    expect(error!.message).toContain(
      'its finished step a was a call of probe_effect, and is a wait step now',
    );
    expect(await getRun(acme, failed.id)).toEqual(failed);
    await acme.call('delete_workflow', { workflow_id: workflow.id });
    expect((await retry(failed.id, 'latest')).error!.message).toContain('was deleted');
    expect((await retry(failed.id, 'newest')).error!.code).toBe('invalid_arguments');
  });

  itSlow(
    'keeps each failed attempt with its error and time, even after a retry of the run',
    async () => {
      ProbeTools.failures.set('attempts', 3);
      const workflow = await createWorkflow(acme, [
        {
          id: 'shaky',
          tool: 'probe_fail',
          arguments: { name: 'attempts', code: 'unavailable' },
          retry: { max_attempts: 2, backoff_seconds: 0.01 },
        },
      ]);
      const failed = await runToEnd(acme, workflow.id);
      const error = { code: 'unavailable', message: 'Told to fail.' };
      const attempts = (numbers: number[]) =>
        numbers.map((attempt) => ({ attempt, failed_at: expect.any(String) as string, error }));
      expect(failed.steps).toMatchObject([
        { status: 'failed', attempts: 2, error, failed_attempts: attempts([1, 2]) },
      ]);
      const { value } = await retry(failed.id);
      expect(value.run.steps).toMatchObject([{ id: 'shaky', failed_attempts: attempts([1, 2]) }]);
      const run = await runUntil(acme, failed.id, 'succeeded', 'failed');
      expect(run.steps).toMatchObject([
        { status: 'succeeded', attempts: 2, error: null, failed_attempts: attempts([1, 2, 1]) },
      ]);
      const times = run.steps[0]!.failed_attempts.map((failedAttempt) => failedAttempt.failed_at);
      expect(times).toEqual(times.toSorted());
      const listed = await acme.call<{ runs: RunShape[] }>('list_runs', {
        workflow_id: workflow.id,
      });
      expect(listed.value.runs[0]!.steps[0]!.failed_attempts).toEqual([]);
    },
  );

  it('replays a run with its payload and contact, in the newest version or in the version of the run', async () => {
    const { value: made } = await acme.call<{ contact: { id: string } }>('create_contact', {
      email: 'replay@example.com',
    });
    const workflow = await createWorkflow(acme, [
      { id: 'echo', tool: 'probe_echo', arguments: { value: { old: '{{ trigger.payload.n }}' } } },
    ]);
    const { value: started } = await acme.call<{ run_id: string }>('trigger_workflow', {
      workflow_id: workflow.id,
      payload: { n: 7, odd: '\ud83d\ude00' },
      contact_id: made.contact.id,
    });
    const first = await runUntil(acme, started.run_id, 'succeeded');
    await update(workflow.id, [
      { id: 'echo', tool: 'probe_echo', arguments: { value: { new: '{{ trigger.payload.n }}' } } },
    ]);
    const latest = (await replay(first.id)).value.run;
    expect(latest).toMatchObject({
      status: 'queued',
      workflow_version: 2,
      replay_of: first.id,
      contact_id: made.contact.id,
      trigger: first.trigger,
    });
    expect(latest.id).not.toBe(first.id);
    expect((await runUntil(acme, latest.id, 'succeeded')).steps[0]!.output).toEqual({
      value: { new: 7 },
    });
    const same = (await replay(first.id, { version: 'same' })).value.run;
    expect((await runUntil(acme, same.id, 'succeeded')).steps[0]!.output).toEqual({
      value: { old: 7 },
    });
    expect(await getRun(acme, first.id)).toEqual(first);
    await acme.call('delete_contact', { contact_id: made.contact.id });
    expect((await replay(first.id)).value.run.contact_id).toBeNull();
  });

  it('replays a run with an edited payload, the same kind of trigger and a link to the first run', async () => {
    const workflow = await createWorkflow(acme, [
      { id: 'echo', tool: 'probe_echo', arguments: { value: { n: '{{ trigger.payload.n }}' } } },
    ]);
    const { body } = await postWebhook(switchboard, workflow.id, { n: 'typo' });
    const first = await runUntil(acme, body.runId, 'succeeded');
    const edited = (await replay(first.id, { payload: { n: 8 } })).value.run;
    expect(edited).toMatchObject({
      replay_of: first.id,
      trigger: { type: 'webhook', payload: { n: 8 } },
    });
    expect((await runUntil(acme, edited.id, 'succeeded')).steps[0]!.output).toEqual({
      value: { n: 8 },
    });
    expect(await getRun(acme, first.id)).toEqual(first);
    // When the edited run is replayed without a new payload, the replay has the edited payload.
    const again = (await replay(edited.id)).value.run;
    expect(again).toMatchObject({ replay_of: edited.id, trigger: { payload: { n: 8 } } });
  });

  it('gives a replayed webhook run the contact that the edited payload names, and other replayed runs their original contact', async () => {
    const person = async (email: string): Promise<string> => {
      const { value } = await acme.call<{ contact: { id: string } }>('create_contact', { email });
      return value.contact.id;
    };
    const [ada, bob] = [await person('ada@example.com'), await person('bob@example.com')];
    const { id } = await createWorkflow(acme, []);
    const { body } = await postWebhook(switchboard, id, { email: 'nobody@example.com' });
    expect((await runUntil(acme, body.runId, 'succeeded')).contact_id).toBeNull();
    const mended = await replay(body.runId, { payload: { email: 'Ada@example.com' } });
    expect(mended.value.run.contact_id).toBe(ada);
    const manual = await acme.call<{ run_id: string }>('trigger_workflow', {
      workflow_id: id,
      contact_id: bob,
    });
    const other = await replay(manual.value.run_id, { payload: { email: 'ada@example.com' } });
    expect(other.value.run.contact_id).toBe(bob);
  });

  it('checks an edited payload like the body of a webhook', async () => {
    const workflow = await createWorkflow(acme, []);
    const run = await runToEnd(acme, workflow.id);
    const deep = (depth: number): object => (depth === 0 ? {} : { a: deep(depth - 1) });
    const many = { list: Array.from({ length: 10_001 }, () => 1) };
    for (const payload of [[1], 'text', 7, deep(70), many]) {
      const { error } = await replay(run.id, { payload });
      expect(['invalid_arguments', 'too_complex']).toContain(error?.code);
    }
    const list = await acme.call<{ runs: [] }>('list_runs', { workflow_id: workflow.id });
    expect(list.value.runs).toHaveLength(1);
  });

  it('refuses an idempotency_key that was used with another payload', async () => {
    const workflow = await createWorkflow(acme, []);
    const run = await runToEnd(acme, workflow.id);
    const given = { idempotency_key: 'replay edited', payload: { n: 1 } };
    const first = await replay(run.id, given);
    expect(await replay(run.id, given)).toEqual(first);
    const other = await replay(run.id, { ...given, payload: { n: 2 } });
    expect(other.error!.code).toBe('idempotency_mismatch');
  });

  it('shows no run of another organization to a replay with a payload', async () => {
    const other = await createOrganization(switchboard);
    const workflow = await createWorkflow(acme, []);
    const run = await runToEnd(acme, workflow.id);
    const { error } = await other.call('replay_run', { run_id: run.id, payload: {} });
    expect(error!.code).toBe('not_found');
  });

  it('replays once for each idempotency_key, and never for an inactive workflow', async () => {
    const workflow = await createWorkflow(acme, []);
    const run = await runToEnd(acme, workflow.id);
    const first = await replay(run.id, { idempotency_key: 'replay once' });
    expect(await replay(run.id, { idempotency_key: 'replay once' })).toEqual(first);
    const list = await acme.call<{ runs: [] }>('list_runs', { workflow_id: workflow.id });
    expect(list.value.runs).toHaveLength(2);
    await acme.call('deactivate_workflow', { workflow_id: workflow.id });
    expect((await replay(run.id)).error).toMatchObject({
      code: 'conflict',
      message: 'The workflow of the run is not active. Activate it first.',
    });
    expect((await replay('run_x')).error!.code).toBe('not_found');
  });
});
