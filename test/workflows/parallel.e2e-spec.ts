import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import {
  createWorkflow,
  endWaits,
  getRun,
  type RunShape,
  runToEnd,
  runUntil,
  trigger,
  withoutDigest,
} from './support/workflow-client.js';
import { ProbeTools } from './support/probe.tools.js';

const echo = (id: string, value: object, more: object = {}) => ({
  id,
  tool: 'probe_echo',
  arguments: { value },
  ...more,
});
const outside = (id: string, name: string) => ({ id, tool: 'probe_outside', arguments: { name } });
const effect = (id: string, name: string) => ({ id, tool: 'probe_effect', arguments: { name } });
const fail = (id: string, name: string, more: object = {}) => ({
  id,
  tool: 'probe_fail',
  arguments: { name, code: 'conflict' },
  ...more,
});
const both = (...parallel: object[][]) => ({ id: 'both', parallel });

describe.concurrent('parallel', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  const start = async (...steps: object[]): Promise<string> =>
    await trigger(acme, (await createWorkflow(acme, steps)).id);
  const run = async (...steps: object[]): Promise<RunShape> =>
    await runToEnd(acme, (await createWorkflow(acme, steps)).id);
  const states = (ended: RunShape) => ended.steps.map(({ id, status }) => `${id} ${status}`);
  const untilState = (runId: string, state: string) =>
    waitFor(async () => (states(await getRun(acme, runId)).includes(state) ? true : undefined));

  it('makes external calls at the same time, and continues when all lists are done', async () => {
    for (const name of ['p1', 'p2', 'p3']) ProbeTools.hold(name);
    const runId = await start(
      both([outside('a', 'p1')], [outside('b', 'p2')], [outside('c', 'p3')]),
      effect('after', 'p after'),
    );
    await waitFor(() => ['p1', 'p2', 'p3'].every((name) => ProbeTools.count(name) === 1));
    ProbeTools.open('p1');
    ProbeTools.open('p3');
    await untilState(runId, 'a succeeded');
    await untilState(runId, 'c succeeded');
    expect((await getRun(acme, runId)).status).toBe('running');
    expect(ProbeTools.count('p after')).toBe(0);
    ProbeTools.open('p2');
    const ended = await runUntil(acme, runId, 'succeeded', 'failed');
    expect(ended.steps.map(({ id }) => id)).toEqual(['both', 'a', 'b', 'c', 'after']);
    const keys = ['p1', 'p2', 'p3'].map(
      (name) => ProbeTools.calls.find((call) => call.name === name)!.key,
    );
    expect(keys.map(withoutDigest)).toEqual([`${runId}:a`, `${runId}:b`, `${runId}:c`]);
  });

  it('hides the lists from each other, and shows their results to later steps', async () => {
    const ended = await run(
      both([echo('a', { x: 1 })], [echo('b', { y: 2 }), echo('c', { y: '{{ b.value.y }}' })]),
      echo('sum', { x: '{{ a.value.x }}', y: '{{ c.value.y }}' }),
    );
    expect(ended.steps.at(-1)!.output).toEqual({ value: { x: 1, y: 2 } });
    const { error } = await acme.call('create_workflow', {
      name: 'Wrong',
      trigger: { type: 'manual' },
      steps: [
        both([echo('a', {})], [echo('b', { a: '{{ a.value }}' })]),
        { ...both([echo('c', {})], [echo('d', {})]), id: 'maybe', if: 'trigger.payload' },
        echo('e', { c: '{{ c.value }}' }),
      ],
    });
    expect(error!.details!.map(({ path }) => path)).toEqual([
      'steps[0].parallel[1][0].arguments.value.a',
      'steps[2].arguments.value.c',
    ]);
  });

  // Runs alone, because the test looks for steps that wait for locks, and steps of other tests may wait too.
  it.sequential('runs internal steps one after the other, with one connection', async () => {
    ProbeTools.hold('inside 0');
    const lists = [0, 1, 2, 3].map((index) => [effect(`e${index}`, `inside ${index}`)]);
    const runId = await start(both(...lists));
    await waitFor(() => ProbeTools.count('inside 0') === 1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const locked = await switchboard.ownerQuery(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    expect(locked).toEqual([]);
    expect(ProbeTools.count('inside 1')).toBe(0);
    ProbeTools.open('inside 0');
    expect((await runUntil(acme, runId, 'succeeded', 'failed')).status).toBe('succeeded');
    const contacts = await acme.call<{ contacts: [] }>('search_contacts', { query: 'inside' });
    expect(contacts.value.contacts).toHaveLength(4);
  });

  it('waits in one list while the other lists continue, and releases the run when all lists wait', async () => {
    const runId = await start(
      both(
        [{ id: 'long', wait: { days: 2 } }, effect('a', 'w long')],
        [{ id: 'short', wait: { days: 1 } }, effect('b', 'w short')],
        [effect('c', 'w none')],
      ),
    );
    const waiting = await runUntil(acme, runId, 'waiting');
    expect(states(waiting)).toEqual([
      'both succeeded',
      'long waiting',
      'short waiting',
      'c succeeded',
    ]);
    const [row] = await switchboard.ownerQuery<{ hours: number }>(
      `select round(extract(epoch from available_at - now()) / 3600)::int as hours from workflow_runs where id = $1`,
      [runId],
    );
    expect(row!.hours).toBe(24);
    await switchboard.ownerQuery(
      `update run_steps set wake_at = now() where run_id = $1 and step_id = 'short'`,
      [runId],
    );
    await switchboard.ownerQuery(`update workflow_runs set available_at = now() where id = $1`, [
      runId,
    ]);
    await waitFor(() => ProbeTools.count('w short') === 1);
    expect((await runUntil(acme, runId, 'waiting')).steps.at(-1)!.id).toBe('b');
    expect(ProbeTools.count('w long')).toBe(0);
    await endWaits(switchboard, runId);
    expect((await runUntil(acme, runId, 'succeeded', 'failed')).status).toBe('succeeded');
  });

  itSlow('ends a wait at its time while a long call is running', async () => {
    ProbeTools.hold('lasting');
    const runId = await start(
      both(
        [outside('a', 'lasting')],
        [{ id: 'pause', wait: { seconds: 1 } }, effect('b', 'beside')],
      ),
    );
    await waitFor(() => ProbeTools.count('beside') === 1);
    expect(states(await getRun(acme, runId))).toContain('a running');
    ProbeTools.open('lasting');
    expect((await runUntil(acme, runId, 'succeeded', 'failed')).status).toBe('succeeded');
  });

  itSlow('ends a wait early when its time was shortened during a long call', async () => {
    ProbeTools.hold('lasting too');
    const runId = await start(
      both(
        [outside('a', 'lasting too')],
        [{ id: 'pause', wait: { days: 1 } }, effect('b', 'shortened')],
      ),
    );
    await untilState(runId, 'pause waiting');
    await switchboard.ownerQuery(
      `update run_steps set wake_at = now() where run_id = $1 and status = 'waiting'`,
      [runId],
    );
    await waitFor(() => ProbeTools.count('shortened') === 1);
    ProbeTools.open('lasting too');
    expect((await runUntil(acme, runId, 'succeeded', 'failed')).status).toBe('succeeded');
  });

  it('retries a step while the other lists continue', async () => {
    ProbeTools.hold('steady');
    ProbeTools.failures.set('shaky', 1);
    const runId = await start(
      both(
        [
          {
            id: 'a',
            tool: 'probe_fail',
            arguments: { name: 'shaky', code: 'unavailable' },
            retry: { backoff_seconds: 3600 },
          },
        ],
        [outside('b', 'steady'), effect('c', 'steady on')],
      ),
    );
    await untilState(runId, 'a waiting');
    ProbeTools.open('steady');
    const waiting = await runUntil(acme, runId, 'waiting');
    expect(waiting.reason).toBe('retry');
    expect(states(waiting)).toEqual(['both succeeded', 'a waiting', 'b succeeded', 'c succeeded']);
    expect(ProbeTools.count('shaky')).toBe(1);
    await endWaits(switchboard, runId);
    const ended = await runUntil(acme, runId, 'succeeded', 'failed');
    expect(ended.steps[1]).toMatchObject({ id: 'a', attempts: 2, status: 'succeeded' });
  });

  it('fails after all running steps have ended, and a retry repeats every failed step', async () => {
    for (const name of ['f1', 'f2']) ProbeTools.failures.set(name, 1);
    ProbeTools.hold('f slow');
    const runId = await start(
      both(
        [fail('a', 'f1'), effect('a2', 'f a2')],
        [outside('b', 'f slow'), effect('b2', 'f b2')],
        [fail('c', 'f2')],
      ),
    );
    await untilState(runId, 'a failed');
    expect((await getRun(acme, runId)).status).toBe('running');
    ProbeTools.open('f slow');
    const failed = await runUntil(acme, runId, 'failed');
    expect(failed.reason).toBe('step_failed:a');
    expect(states(failed).slice(0, 3)).toEqual(['both succeeded', 'a failed', 'b succeeded']);
    expect(ProbeTools.count('f a2') + ProbeTools.count('f b2')).toBe(0);
    await acme.call('retry_run', { run_id: runId });
    const ended = await runUntil(acme, runId, 'succeeded', 'failed');
    expect(ended.status).toBe('succeeded');
    expect(ProbeTools.count('f slow')).toBe(1);
  });

  itSlow('repeats a failed step at once although another step waits', async () => {
    ProbeTools.failures.set('soon', 1);
    const runId = await start(
      both([{ id: 'pause', wait: { days: 1 } }], [echo('first', {}), fail('a', 'soon')]),
    );
    const failed = await runUntil(acme, runId, 'failed');
    expect(states(failed)).toContain('pause canceled');
    await acme.call('retry_run', { run_id: runId });
    const waiting = await runUntil(acme, runId, 'waiting', 'failed');
    expect(states(waiting)).toEqual(
      expect.arrayContaining(['pause waiting', 'a succeeded', 'both succeeded']),
    );
    expect(ProbeTools.count('soon')).toBe(2);
  });

  it('is skipped when its condition is false', async () => {
    const ended = await run(
      { ...both([echo('a', {})], [echo('b', {})]), if: 'trigger.payload.no' },
      echo('c', {}),
    );
    expect(states(ended)).toEqual(['both skipped', 'c succeeded']);
  });
});

describe.concurrent('stop', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  const run = async (steps: object[], payload: object = {}): Promise<RunShape> =>
    await runToEnd(acme, (await createWorkflow(acme, steps)).id, payload);
  const stop = (status: string, more: object = {}) => ({ id: 'end', stop: status, ...more });

  it('ends the run early as succeeded', async () => {
    const ended = await run([
      { id: 'fork', if: 'trigger', then: [stop('succeeded')] },
      echo('never', {}),
    ]);
    expect(ended).toMatchObject({ status: 'succeeded', reason: 'stopped:end' });
    expect(ended.steps.map(({ id }) => id)).toEqual(['fork', 'end']);
    expect(ended.steps[1]!.output).toEqual({ stopped: 'succeeded', reason: null });
  });

  it('ends the run as failed with a reason, and is evaluated again when the run is retried', async () => {
    const workflow = await createWorkflow(acme, [
      stop('failed', { if: "contact.first_name != 'Ada'", reason: 'Who is {{ contact.email }}?' }),
      echo('after', {}),
    ]);
    const { value } = await acme.call<{ contact: { id: string } }>('create_contact', {
      email: 'stop@example.com',
    });
    const started = await acme.call<{ run_id: string }>('trigger_workflow', {
      workflow_id: workflow.id,
      contact_id: value.contact.id,
    });
    const failed = await runUntil(acme, started.value.run_id, 'succeeded', 'failed');
    expect(failed).toMatchObject({
      status: 'failed',
      reason: 'stopped:end',
      steps: [
        {
          status: 'failed',
          error: { code: 'stopped', message: 'Who is stop@example.com?' },
          output: { stopped: 'failed', reason: 'Who is stop@example.com?' },
        },
      ],
    });
    await acme.call('update_contact', { contact_id: value.contact.id, first_name: 'Ada' });
    await acme.call('retry_run', { run_id: failed.id });
    const ended = await runUntil(acme, failed.id, 'succeeded', 'failed');
    expect(ended).toMatchObject({ status: 'succeeded', reason: null });
    expect(ended.steps.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'end skipped',
      'after succeeded',
    ]);
  });

  it('fails like any other step when its expression fails', async () => {
    const steps = [stop('succeeded', { reason: '{{ 1 | divided_by: trigger.payload.zero }}' })];
    const ended = await run(steps, { zero: 0 });
    expect(ended).toMatchObject({
      status: 'failed',
      reason: 'step_failed:end',
      steps: [{ error: { code: 'invalid_arguments' }, output: null }],
    });
  });
});
