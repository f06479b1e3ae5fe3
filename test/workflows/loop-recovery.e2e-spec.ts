import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunWorker } from '../../src/workflows/engine/run.worker.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { ProbeEffectTools, ProbeTools } from './support/probe.tools.js';
import { createWorkflow, getRun, trigger, withoutDigest } from './support/workflow-client.js';

// No worker runs here: the test acts as all workers, so that each can die at an exact moment.
describe('the recovery of runs with several running steps', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let worker: RunWorker;

  beforeAll(async () => {
    switchboard = await startSwitchboard({
      env: { ROLE: 'web' },
      providers: [ProbeTools, ProbeEffectTools],
    });
    acme = await createOrganization(switchboard);
    worker = switchboard.app.get(RunWorker, { strict: false });
  });
  afterAll(() => switchboard.close());

  const outside = (id: string, name: string) => ({
    id,
    tool: 'probe_outside',
    arguments: { name },
  });
  const effect = (id: string, name: string) => ({ id, tool: 'probe_effect', arguments: { name } });
  const start = async (items: string[], concurrency: number, ...steps: object[]) => {
    const loop = { id: 'each', for_each: '{{ trigger.payload.items }}', concurrency, steps };
    return await trigger(acme, (await createWorkflow(acme, [loop])).id, { items });
  };
  const claim = async (runId: string) => (await worker.claim(1, runId))[0];
  const work = (held: NonNullable<Awaited<ReturnType<typeof claim>>>, signal?: AbortSignal) =>
    worker.work(held, signal ?? new AbortController().signal);
  const expire = (runId: string) =>
    switchboard.ownerQuery(`update workflow_runs set available_at = now() where id = $1`, [runId]);
  const crashes = async (runId: string) =>
    (
      await switchboard.ownerQuery<{ crashes: number }>(
        `select crashes from workflow_runs where id = $1`,
        [runId],
      )
    )[0]!.crashes;
  const effects = async (name: string) =>
    (await switchboard.ownerQuery('select from contacts where first_name = $1', [name])).length;
  const states = async (runId: string) =>
    (await getRun(acme, runId)).steps.map(({ id, status }) => `${id} ${status}`);
  const keysOf = (name: string) =>
    ProbeTools.calls
      .filter((call) => call.name === name && call.key !== undefined)
      .map(({ key }) => key);

  it('continues where the journal ends: finished steps stay, and running calls are repeated with the same key', async () => {
    const items = ['t0', 't1', 't2', 't3', 't4'];
    for (const name of ['t1', 't3', 't4']) ProbeTools.hold(name);
    const runId = await start(
      items,
      3,
      outside('call', '{{ item }}'),
      effect('note', 'note {{ item }}'),
    );
    const zombie = work((await claim(runId))!);
    // The items 0 and 2 are done, so 1, 3 and 4 are running.
    await waitFor(() => ['t1', 't3', 't4'].every((name) => ProbeTools.count(name) === 1));
    await expire(runId);
    const successor = work((await claim(runId))!);
    await waitFor(() => ['t1', 't3', 't4'].every((name) => ProbeTools.count(name) === 2));
    for (const name of ['t1', 't3', 't4']) ProbeTools.open(name);
    await Promise.all([zombie, successor]);
    const run = await getRun(acme, runId);
    expect(run.status).toBe('succeeded');
    for (const [index, name] of items.entries()) {
      const times = ['t1', 't3', 't4'].includes(name) ? 2 : 1;
      const key = `${runId}:each[${index}].call`;
      const keys = keysOf(name);
      expect(keys.map(withoutDigest)).toEqual(Array.from({ length: times }, () => key));
      expect(new Set(keys).size).toBe(1);
      expect(await effects(`note ${name}`)).toBe(1);
    }
    expect(run.steps.find(({ id }) => id === 'each')!.output).toMatchObject({ count: 5 });
  });

  it('begins no step and writes nothing after the fence has refused a write of one of its steps', async () => {
    for (const name of ['z0', 'z1']) ProbeTools.hold(name);
    const runId = await start(
      ['z0', 'z1', 'z2', 'z3'],
      2,
      outside('call', '{{ item }}'),
      effect('note', 'note {{ item }}'),
    );
    const zombie = work((await claim(runId))!);
    await waitFor(() => ProbeTools.count('z0') + ProbeTools.count('z1') === 2);
    await expire(runId);
    await claim(runId);
    ProbeTools.open('z0');
    // The other call still hangs. The worker does not wait for its result, because it cannot record this result any more.
    await zombie;
    ProbeTools.open('z1');
    expect(await states(runId)).toEqual(
      expect.arrayContaining(['each[0].call running', 'each[1].call running']),
    );
    expect(ProbeTools.count('z2') + ProbeTools.count('note z0')).toBe(0);
  });

  it('keeps the results of other steps when a transaction fails', async () => {
    ProbeTools.failures.set('rolled back', 2);
    ProbeTools.hold('beside');
    const workflow = await createWorkflow(acme, [
      {
        id: 'both',
        parallel: [
          [
            {
              id: 'a',
              tool: 'probe_fail',
              arguments: { name: 'rolled back', code: 'unavailable' },
              retry: { backoff_seconds: 0 },
            },
            effect('a2', 'a2'),
          ],
          [effect('b', 'b'), effect('b2', 'b2'), outside('b3', 'beside')],
        ],
      },
    ]);
    const runId = await trigger(acme, workflow.id);
    const working = work((await claim(runId))!);
    await waitFor(() => ProbeTools.count('beside') === 1 && ProbeTools.count('a2') === 1);
    ProbeTools.open('beside');
    await working;
    expect((await getRun(acme, runId)).status).toBe('succeeded');
    for (const name of ['a2', 'b', 'b2']) expect(await effects(name)).toBe(1);
  });

  it('parks a run after one item has crashed three workers, although other items make progress', async () => {
    const items = ['poison', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6'];
    ProbeTools.hold('poison');
    const runId = await start(items, 2, outside('call', '{{ item }}'));
    for (let crash = 1; crash <= 3; crash += 1) {
      const died = new AbortController();
      const calls = ProbeTools.calls.length;
      // Each worker finishes one or two other items. Then the item `poison` crashes the worker.
      ProbeTools.hold(`p${crash * 2}`);
      const working = work((await claim(runId))!, died.signal);
      await waitFor(() => ProbeTools.count(`p${crash * 2}`) === 1);
      expect(ProbeTools.calls.length).toBeGreaterThan(calls + 1);
      died.abort();
      await working;
      ProbeTools.open(`p${crash * 2}`);
      await expire(runId);
    }
    expect(await claim(runId)).toBeUndefined();
    const run = await getRun(acme, runId);
    expect(run).toMatchObject({ status: 'failed', reason: 'poison' });
    expect(run.steps.filter(({ error }) => error?.code === 'poison').map(({ id }) => id)).toContain(
      'each[0].call',
    );
    ProbeTools.open('poison');
  });

  it('resets the count of crashes when all steps that were running at the crash are done', async () => {
    for (const name of ['g0', 'g1', 'g2']) ProbeTools.hold(name);
    const runId = await start(['g0', 'g1', 'g2'], 2, outside('call', '{{ item }}'));
    await claim(runId);
    await expire(runId);
    const died = new AbortController();
    // The loop begins here. This progress resets the count of crashes, so the first crash does not count.
    const first = work((await claim(runId))!, died.signal);
    await waitFor(() => ProbeTools.count('g0') + ProbeTools.count('g1') === 2);
    expect(await crashes(runId)).toBe(0);
    died.abort();
    await first;
    await expire(runId);
    const working = work((await claim(runId))!);
    await waitFor(() => ProbeTools.count('g0') + ProbeTools.count('g1') === 4);
    ProbeTools.open('g0');
    await waitFor(() => ProbeTools.count('g2') === 1);
    expect(await crashes(runId)).toBe(1);
    ProbeTools.open('g1');
    await waitFor(async () => (await states(runId)).includes('each[1].call succeeded'));
    expect(await crashes(runId)).toBe(0);
    ProbeTools.open('g2');
    await working;
    expect((await getRun(acme, runId)).status).toBe('succeeded');
  });
});
