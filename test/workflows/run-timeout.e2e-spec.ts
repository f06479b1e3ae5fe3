import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunWorker } from '../../src/workflows/engine/run.worker.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { ProbeTools } from './support/probe.tools.js';
import { createWorkflow, getRun, trigger } from './support/workflow-client.js';

const HOUR = 3600;
const TIMEOUT = 'workflow.timeout';
const echo = (id: string, value: object) => ({ id, tool: 'probe_echo', arguments: { value } });
const pause = (wait: object, id = 'pause') => ({ id, wait });

// No worker runs here: the test acts as all workers, so that time can pass without a running worker.
describe('the timeout of a run', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let worker: RunWorker;

  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { ROLE: 'web' }, providers: [ProbeTools] });
    acme = await createOrganization(switchboard);
    worker = switchboard.app.get(RunWorker, { strict: false });
  });
  afterAll(() => switchboard.close());

  const start = async (steps: object[], more: object = {}, seconds = HOUR): Promise<string> => {
    const given = { trigger: { type: 'manual', run_timeout_seconds: seconds }, ...more };
    return await trigger(acme, (await createWorkflow(acme, steps, given)).id);
  };
  /** Claims the run if it is due, and works until it has ended or waits. */
  const work = async (runId: string): Promise<boolean> => {
    const [claim] = await worker.claim(1, runId);
    if (claim) await worker.work(claim, new AbortController().signal);
    return claim !== undefined;
  };
  /** Lets the given time pass for a waiting run, as if no worker had run in that time. */
  const pass = async (runId: string, seconds: number): Promise<void> => {
    const past = 'make_interval(secs => $2)';
    await switchboard.ownerQuery(
      `update run_steps set wake_at = wake_at - ${past} where run_id = $1 and status = 'waiting'`,
      [runId, seconds],
    );
    await switchboard.ownerQuery(
      `update workflow_runs set available_at = available_at - ${past} where id = $1`,
      [runId, seconds],
    );
  };
  const states = async (runId: string) =>
    (await getRun(acme, runId)).steps.map(({ id, status }) => `${id} ${status}`);
  const ending = async (runId: string) => {
    const { status, reason } = await getRun(acme, runId);
    return [status, reason];
  };

  it('ends a waiting run even if no worker ran at the time of its timeout, and runs the steps of on_failure', async () => {
    const runId = await start([pause({ days: 30 }), echo('never', {})], {
      on_failure: [
        echo('told', { code: '{{ failure.error.code }}', step: '{{ failure.step }}' }),
        pause({ days: 2 }, 'later'),
      ],
    });
    await work(runId);
    expect(await ending(runId)).toEqual(['waiting', 'wait']);
    expect(await states(runId)).toEqual([`${TIMEOUT} waiting`, 'pause waiting']);
    await pass(runId, HOUR - 60);
    expect(await work(runId)).toBe(false);
    await pass(runId, 60);
    expect(await work(runId)).toBe(true);
    // The steps of on_failure have no timeout.
    expect(await ending(runId)).toEqual(['waiting', 'wait']);
    await pass(runId, 2 * 24 * HOUR);
    expect(await work(runId)).toBe(true);
    expect(await ending(runId)).toEqual(['failed', 'timed_out']);
    const { steps } = await getRun(acme, runId);
    expect(steps.map(({ id, status }) => `${id} ${status}`)).toEqual([
      `${TIMEOUT} failed`,
      'pause canceled',
      'workflow.on_failure succeeded',
      'told succeeded',
      'later succeeded',
    ]);
    expect(steps[0]!.error).toEqual({
      code: 'timed_out',
      message: 'The run did not end within its timeout of 3600 s.',
    });
    expect(steps[3]!.output).toEqual({ value: { code: 'timed_out', step: TIMEOUT } });
    const found = await acme.call<{ runs: object[] }>('list_runs', { reason: 'timed_out' });
    expect(found.value.runs).toContainEqual(expect.objectContaining({ id: runId }));
  });

  it('does not change a run that ends in time', async () => {
    const runId = await start([pause({ minutes: 30 }), echo('done', {})]);
    await work(runId);
    await pass(runId, HOUR / 2);
    await work(runId);
    expect(await ending(runId)).toEqual(['succeeded', null]);
    expect(await states(runId)).toEqual([
      `${TIMEOUT} skipped`,
      'pause succeeded',
      'done succeeded',
    ]);
  });

  itSlow('counts from the start of the run through all its waits', async () => {
    const runId = await start([pause({ minutes: 50 }), pause({ minutes: 50 }, 'second')]);
    await work(runId);
    await pass(runId, 50 * 60);
    await work(runId);
    expect(await states(runId)).toEqual([
      `${TIMEOUT} waiting`,
      'pause succeeded',
      'second waiting',
    ]);
    await pass(runId, 10 * 60);
    await work(runId);
    expect(await ending(runId)).toEqual(['failed', 'timed_out']);
  });

  it('begins again when the run is retried, and the waits of the run continue', async () => {
    const runId = await start([pause({ minutes: 90 }), echo('done', {})]);
    await work(runId);
    await pass(runId, HOUR);
    await work(runId);
    expect(await ending(runId)).toEqual(['failed', 'timed_out']);
    expect((await acme.call('retry_run', { run_id: runId })).error).toBeUndefined();
    await work(runId);
    expect(await ending(runId)).toEqual(['waiting', 'wait']);
    await pass(runId, HOUR / 2);
    await work(runId);
    expect(await ending(runId)).toEqual(['succeeded', null]);
  });

  it('aborts a request in progress, drops its result, and begins no other step', async () => {
    ProbeTools.hold('slow');
    const runId = await start(
      [{ id: 'slow', tool: 'probe_outside', arguments: { name: 'slow' } }, echo('never', {})],
      { on_failure: [echo('told', { step: '{{ failure.step }}' })] },
      1,
    );
    await work(runId);
    expect(ProbeTools.aborted).toContain('slow');
    ProbeTools.open('slow');
    expect(await ending(runId)).toEqual(['failed', 'timed_out']);
    expect(await states(runId)).toEqual([
      `${TIMEOUT} failed`,
      'slow canceled',
      'workflow.on_failure succeeded',
      'told succeeded',
    ]);
  });

  it('ends the run of a worker that died, when another worker claims the run', async () => {
    ProbeTools.hold('dead');
    const runId = await start([
      { id: 'dead', tool: 'probe_outside', arguments: { name: 'dead' } },
      echo('never', {}),
    ]);
    const gone = new AbortController();
    const [claim] = await worker.claim(1, runId);
    const working = worker.work(claim!, gone.signal);
    await waitFor(() => ProbeTools.count('dead') === 1);
    gone.abort();
    await working;
    await pass(runId, HOUR);
    await work(runId);
    expect(await ending(runId)).toEqual(['failed', 'timed_out']);
    expect(ProbeTools.count('dead')).toBe(1);
    ProbeTools.open('dead');
  });

  itSlow('is part of the version and of the task of the run', async () => {
    const { id, trigger: saved } = await createWorkflow(acme, [pause({ days: 1 })], {
      trigger: { type: 'webhook', run_timeout_seconds: HOUR },
    });
    expect(saved).toEqual({ type: 'webhook', run_timeout_seconds: HOUR });
    const runId = await trigger(acme, id);
    const { error } = await acme.call('update_workflow', {
      workflow_id: id,
      trigger: { type: 'webhook' },
    });
    expect(error).toBeUndefined();
    await work(runId);
    expect(await states(runId)).toEqual([`${TIMEOUT} waiting`, 'pause waiting']);
    const later = await trigger(acme, id);
    await work(later);
    expect(await states(later)).toEqual(['pause waiting']);
  });

  it.each([0, 1.5, '60', 366 * 86_400 + 1, null])('cannot be %j', async (seconds) => {
    const { error } = await acme.call('create_workflow', {
      name: 'Test',
      trigger: { type: 'manual', run_timeout_seconds: seconds },
      steps: [pause({ days: 1 })],
    });
    expect(error?.details).toEqual([
      { path: 'trigger.run_timeout_seconds', message: 'must be a whole number from 1 to 31622400' },
    ]);
  });
});
