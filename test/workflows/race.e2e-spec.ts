import { beforeAll, describe, expect, it } from 'vitest';
import { startSink } from '../outbound/support/sink.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import {
  type RunningSwitchboard,
  sharedSwitchboard,
  startSwitchboard,
} from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { ProbeTools } from './support/probe.tools.js';
import {
  createWorkflow,
  endWaits,
  getRun,
  type RunShape,
  runToEnd,
  runUntil,
  trigger,
} from './support/workflow-client.js';

const echo = (id: string, value: object) => ({ id, tool: 'probe_echo', arguments: { value } });
const outside = (id: string, name: string) => ({ id, tool: 'probe_outside', arguments: { name } });
const effect = (id: string, name: string) => ({ id, tool: 'probe_effect', arguments: { name } });
const days = (id: string, count: number) => ({ id, wait: { days: count } });
const resume = (id: string) => ({
  id,
  wait_for_event: { event: 'resume', timeout: { days: 30 } },
});
const first = (...race: object[][]) => ({ id: 'first', race });
const show = echo('show', { url: '{{ run.resume_urls.answer }}' });

describe('race', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  const start = async (...steps: object[]): Promise<string> =>
    await trigger(acme, (await createWorkflow(acme, steps)).id);
  const ended = (runId: string) => runUntil(acme, runId, 'succeeded', 'failed', 'canceled');
  const states = (run: RunShape) => run.steps.map(({ id, status }) => `${id} ${status}`);
  const outputOf = (run: RunShape, id = 'first') =>
    run.steps.find((step) => step.id === id)?.output;
  /** Starts a run that waits in both lists, and returns its resume URL. */
  const waiting = async () => {
    const runId = await start(
      show,
      first([resume('answer'), effect('answered', 'race answered')], [days('late', 3)]),
      echo('after', { winner: '{{ first.winner }}', result: '{{ first.result }}' }),
    );
    const run = await runUntil(acme, runId, 'waiting');
    const { value } = outputOf(run, 'show') as { value: { url: string } };
    const call = async () =>
      (
        await fetch(value.url, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: '{}',
        })
      ).status;
    return { runId, call };
  };

  it('ends when a call of the resume URL lets one list finish, and cancels the wait of the other list', async () => {
    const { runId, call } = await waiting();
    expect(await call()).toBe(202);
    const run = await ended(runId);
    expect(states(run).sort()).toEqual([
      'after succeeded',
      'answer succeeded',
      'answered succeeded',
      'first succeeded',
      'late canceled',
      'show succeeded',
    ]);
    expect(outputOf(run)).toEqual({ winner: 0, result: { done: true } });
    expect(outputOf(run, 'after')).toEqual({ value: { winner: 0, result: { done: true } } });
  });

  it('ends when the wait of one list is over, and answers the resume URL of the other list with 410', async () => {
    const { runId, call } = await waiting();
    await switchboard.ownerQuery(
      `update run_steps set wake_at = now() where run_id = $1 and step_id = 'late'`,
      [runId],
    );
    await switchboard.ownerQuery(`update workflow_runs set available_at = now() where id = $1`, [
      runId,
    ]);
    const run = await ended(runId);
    expect(run.status).toBe('succeeded');
    expect(states(run)).toContain('answer canceled');
    expect(states(run)).not.toContain('answered succeeded');
    expect(outputOf(run)).toMatchObject({ winner: 1 });
    expect(await call()).toBe(410);
    const waits = await switchboard.ownerQuery(
      `select state from run_waits where run_id = $1 and state in ('armed', 'delivered')`,
      [runId],
    );
    expect(waits).toEqual([]);
  });

  it('aborts the request of another list, and continues without its result', async () => {
    ProbeTools.hold('race slow');
    const runId = await start(
      first(
        [outside('slow', 'race slow'), effect('never', 'race never')],
        [outside('quick', 'race quick'), echo('done', { by: 'quick' })],
      ),
      effect('after', 'race after'),
    );
    await waitFor(() => ProbeTools.count('race slow') === 1);
    const run = await ended(runId);
    expect(ProbeTools.aborted).toContain('race slow');
    ProbeTools.open('race slow');
    expect(ProbeTools.count('race after')).toBe(1);
    expect(states(run).sort()).toEqual([
      'after succeeded',
      'done succeeded',
      'first succeeded',
      'quick succeeded',
      'slow canceled',
    ]);
    expect(outputOf(run)).toEqual({ winner: 1, result: { value: { by: 'quick' } } });
    expect(outputOf(run, 'slow')).toBeNull();
    expect(run.steps.find(({ id }) => id === 'slow')!.error).toEqual({
      code: 'canceled',
      message: 'Another list of the race was done first.',
    });
    // One worker has executed the complete run: it did not lose the run because of the canceled step.
    const claims = await switchboard.ownerQuery(`select epoch from workflow_runs where id = $1`, [
      runId,
    ]);
    expect(claims.map(({ epoch }) => Number(epoch))).toEqual([1]);
    expect([ProbeTools.count('race slow'), ProbeTools.count('race never')]).toEqual([1, 0]);
  });

  it('closes the connection of a request of another list', async () => {
    let closed = 0;
    const shop = await startSink('127.0.0.1', (_request, response) => {
      response.on('close', () => (closed += 1));
    });
    const own = await startSwitchboard({ env: { OUTBOUND_ALLOW: `127.0.0.1:${shop.port}` } });
    const owner = await createOrganization(own);
    const url = `http://127.0.0.1:${shop.port}/`;
    const ask = { id: 'ask', tool: 'http_request', arguments: { url }, timeout: 300 };
    const { id } = await createWorkflow(owner, [first([ask], [resume('answer')])]);
    const runId = await trigger(owner, id);
    await waitFor(() => shop.requests.length === 1);
    expect(closed).toBe(0);
    await own.ownerQuery(
      `update run_steps set wake_at = now() where run_id = $1 and step_id = 'answer'`,
      [runId],
    );
    await waitFor(() => closed === 1);
    const run = await runUntil(owner, runId, 'succeeded', 'failed');
    expect(states(run)).toContain('ask canceled');
    expect(shop.requests).toHaveLength(1);
    await own.close();
    await shop.close();
  });

  it('does not retry a request of another list that fails after the end of the race', async () => {
    ProbeTools.hold('race failing');
    const failing = {
      id: 'failing',
      tool: 'probe_outside',
      arguments: { name: 'race failing', fail: true },
    };
    const runId = await start(
      first([failing], [echo('quick', {})]),
      effect('after', 'race after failing'),
    );
    await waitFor(() => ProbeTools.count('race failing') === 1);
    await waitFor(() => ProbeTools.count('race after failing') === 1);
    ProbeTools.open('race failing');
    const run = await ended(runId);
    expect(run.status).toBe('succeeded');
    expect(states(run)).toContain('failing canceled');
    expect(ProbeTools.count('race failing')).toBe(1);
  });

  it('cancels the run for which another list waits, and the loops and races inside that list', async () => {
    const child = await createWorkflow(acme, [days('child', 9)]);
    const runId = await start(
      first(
        [{ id: 'other', run_workflow: child.id }],
        [{ id: 'each', for_each: [1, 2], concurrency: 2, steps: [days('inner', 5)] }],
        [{ id: 'second', race: [[days('a', 7)], [days('b', 8)]] }],
        [days('short', 1)],
      ),
    );
    await runUntil(acme, runId, 'waiting');
    await switchboard.ownerQuery(
      `update run_steps set wake_at = now() where run_id = $1 and step_id = 'short'`,
      [runId],
    );
    await switchboard.ownerQuery(`update workflow_runs set available_at = now() where id = $1`, [
      runId,
    ]);
    const run = await ended(runId);
    expect(run.status).toBe('succeeded');
    expect(states(run).sort()).toEqual([
      'a canceled',
      'b canceled',
      'each canceled',
      'each[0].inner canceled',
      'each[1].inner canceled',
      'first succeeded',
      'other canceled',
      'second canceled',
      'short succeeded',
    ]);
    const { value } = await acme.call<{ runs: { id: string; status: string }[] }>('list_runs', {
      workflow_id: child.id,
    });
    expect(value.runs).toMatchObject([{ status: 'canceled', reason: 'parent_ended' }]);
  });

  it('has a winner in each iteration of a loop', async () => {
    const { id } = await createWorkflow(acme, [
      {
        id: 'each',
        for_each: ['x', 'y'],
        as: 'letter',
        steps: [first([echo('quick', { letter: '{{ letter }}' })], [days('late', 3)])],
      },
      echo('after', { results: '{{ each.results }}' }),
    ]);
    const run = await runToEnd(acme, id);
    const result = (letter: string) => ({ winner: 0, result: { value: { letter } } });
    expect(outputOf(run, 'after')).toEqual({ value: { results: [result('x'), result('y')] } });
    expect(states(run)).toContain('each[1].late canceled');
  });

  it('fails the run when a list fails before another list is done, and the run can be retried', async () => {
    const name = 'race retried';
    ProbeTools.failures.set(name, 1);
    const failing = { id: 'failing', tool: 'probe_fail', arguments: { name, code: 'conflict' } };
    const runId = await start(first([failing], [days('late', 3)]), effect('after', 'race later'));
    expect(await ended(runId)).toMatchObject({ status: 'failed', reason: 'step_failed:failing' });
    expect((await acme.call('retry_run', { run_id: runId })).error).toBeUndefined();
    const run = await runUntil(acme, runId, 'succeeded');
    expect(outputOf(run)).toEqual({ winner: 0, result: { done: true } });
    expect(states(run)).toContain('late canceled');
    expect(ProbeTools.count('race later')).toBe(1);
  });

  it('does nothing in the other lists when their waits become due after the end of the run', async () => {
    const { runId, call } = await waiting();
    await call();
    const before = await ended(runId);
    await endWaits(switchboard, runId);
    expect(await getRun(acme, runId)).toEqual(before);
  });
});
