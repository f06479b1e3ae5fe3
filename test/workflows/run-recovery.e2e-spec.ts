import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunWorker } from '../../src/workflows/run.worker.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { ProbeEffectTools, ProbeTools } from './support/probe.tools.js';
import { createWorkflow, getRun, trigger } from './support/workflow-client.js';

// No worker runs by itself here: the test plays all of them, so that each dies exactly where it should.
describe('the recovery of runs', () => {
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

  const effect = (id: string, name: string) => ({ id, tool: 'probe_effect', arguments: { name } });
  const outside = (id: string, name: string) => ({
    id,
    tool: 'probe_outside',
    arguments: { name },
  });
  const claim = async (runId: string) => (await worker.claim(1, runId))[0];
  const work = (held: NonNullable<Awaited<ReturnType<typeof claim>>>, signal?: AbortSignal) =>
    worker.work(held, signal ?? new AbortController().signal);
  const expire = (runId: string) =>
    switchboard.ownerQuery(`update workflow_runs set available_at = now() where id = $1`, [runId]);
  const row = async (runId: string) =>
    (
      await switchboard.ownerQuery<{
        epoch: number;
        crashes: number;
        lease: number;
        status: string;
      }>(
        `select epoch, crashes, status, extract(epoch from available_at - now())::float as lease
         from workflow_runs where id = $1`,
        [runId],
      )
    )[0]!;
  const effects = async (name: string) =>
    (await switchboard.ownerQuery('select from contacts where first_name = $1', [name])).length;

  it('gives a run to one worker at a time, for the time of a lease', async () => {
    const workflow = await createWorkflow(acme, [effect('a', 'lease')]);
    const runId = await trigger(acme, workflow.id);
    const claims = await Promise.all(Array.from({ length: 8 }, () => claim(runId)));
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect((await row(runId)).lease).toBeGreaterThan(10);
    expect(await claim(runId)).toBeUndefined();
  });

  it('goes on elsewhere when the lease ends, and the worker before does nothing more', async () => {
    ProbeTools.hold('zombie call');
    const workflow = await createWorkflow(acme, [
      outside('call', 'zombie call'),
      effect('after', 'zombie effect'),
    ]);
    const runId = await trigger(acme, workflow.id);
    const first = (await claim(runId))!;
    const zombie = work(first);
    await waitFor(() => ProbeTools.count('zombie call') === 1);
    await expire(runId);
    const second = (await claim(runId))!;
    expect(second.epoch).toBe(first.epoch + 1);
    const successor = work(second);
    await waitFor(() => ProbeTools.count('zombie call') === 2);
    ProbeTools.open('zombie call');
    await Promise.all([zombie, successor]);
    const run = await getRun(acme, runId);
    expect(run).toMatchObject({ status: 'succeeded', steps: [{ attempts: 2 }, { attempts: 1 }] });
    expect(await effects('zombie effect')).toBe(1);
    const keys = ProbeTools.calls
      .filter((call) => call.name === 'zombie call')
      .map(({ key }) => key);
    expect(keys).toEqual([`${runId}:call`, `${runId}:call`]);
  });

  it('keeps a worker that lost its lease in the middle from writing, also before anybody else wrote', async () => {
    ProbeTools.hold('late');
    const workflow = await createWorkflow(acme, [outside('call', 'late'), effect('after', 'late')]);
    const runId = await trigger(acme, workflow.id);
    const zombie = work((await claim(runId))!);
    await waitFor(() => ProbeTools.count('late') === 1);
    await expire(runId);
    await claim(runId);
    ProbeTools.open('late');
    await zombie;
    expect(await getRun(acme, runId)).toMatchObject({
      status: 'running',
      steps: [{ id: 'call', status: 'running' }],
    });
    expect(await effects('late')).toBe(0);
    expect(ProbeTools.count('late')).toBe(1);
  });

  it('undoes the effect of a step that is stopped in the middle, and repeats it once', async () => {
    ProbeTools.hold('cut');
    const workflow = await createWorkflow(acme, [effect('a', 'cut')]);
    const runId = await trigger(acme, workflow.id);
    const held = (await claim(runId))!;
    const stop = new AbortController();
    const working = work(held, stop.signal);
    await waitFor(() => ProbeTools.count('cut') === 1);
    stop.abort();
    await working;
    ProbeTools.open('cut');
    expect(await effects('cut')).toBe(0);
    await worker.release([held]);
    expect(await row(runId)).toMatchObject({ status: 'queued', crashes: 0 });
    await work((await claim(runId))!);
    expect((await getRun(acme, runId)).status).toBe('succeeded');
    expect(await effects('cut')).toBe(1);
  });

  it('renews leases without waiting for a step that is in its transaction', async () => {
    ProbeTools.hold('locked');
    const workflow = await createWorkflow(acme, [effect('a', 'locked'), outside('b', 'free')]);
    const runId = await trigger(acme, workflow.id);
    const held = (await claim(runId))!;
    const working = work(held);
    await waitFor(() => ProbeTools.count('locked') === 1);
    expect(await worker.renew([held])).toEqual([held]);
    expect(await claim(runId)).toBeUndefined();
    ProbeTools.open('locked');
    await working;
    expect((await getRun(acme, runId)).status).toBe('succeeded');
    expect(await worker.renew([held])).toEqual([]);
  });

  it('renews a lease that is held and not one that was lost', async () => {
    const workflow = await createWorkflow(acme, []);
    const runId = await trigger(acme, workflow.id);
    const held = (await claim(runId))!;
    await expire(runId);
    expect(await worker.renew([held])).toEqual([held]);
    expect((await row(runId)).lease).toBeGreaterThan(10);
    expect(await worker.renew([{ ...held, epoch: held.epoch + 1 }])).toEqual([]);
    await expire(runId);
    await claim(runId);
    expect(await worker.renew([held])).toEqual([]);
  });

  it('parks a run after three crashes, and lets it be retried', async () => {
    const workflow = await createWorkflow(acme, [effect('a', 'poison')]);
    const runId = await trigger(acme, workflow.id);
    for (let crash = 1; crash <= 3; crash += 1) {
      expect(await claim(runId)).toBeDefined();
      await expire(runId);
    }
    expect(await claim(runId)).toBeUndefined();
    const run = await getRun(acme, runId);
    expect(run).toMatchObject({ status: 'failed', reason: 'poison' });
    expect(run.steps).toMatchObject([{ id: 'a', status: 'failed', error: { code: 'poison' } }]);
    expect((await acme.call('retry_run', { run_id: runId })).error).toBeUndefined();
    await work((await claim(runId))!);
    expect((await getRun(acme, runId)).status).toBe('succeeded');
  });

  it('forgives crashes once a step is done', async () => {
    ProbeTools.hold('second');
    const workflow = await createWorkflow(acme, [effect('a', 'first'), outside('b', 'second')]);
    const runId = await trigger(acme, workflow.id);
    for (let crash = 1; crash <= 2; crash += 1) {
      await claim(runId);
      await expire(runId);
    }
    const held = (await claim(runId))!;
    expect((await row(runId)).crashes).toBe(2);
    const working = work(held);
    await waitFor(() => ProbeTools.count('second') === 1);
    expect((await row(runId)).crashes).toBe(0);
    ProbeTools.open('second');
    await working;
    expect((await getRun(acme, runId)).status).toBe('succeeded');
  });

  it('parks a run whose stored payload cannot be read, and others go on', async () => {
    const workflow = await createWorkflow(acme, [effect('a', 'unreadable')]);
    const runId = await trigger(acme, workflow.id);
    await switchboard.ownerQuery(`update workflow_runs set payload = '\\xff' where id = $1`, [
      runId,
    ]);
    for (let crash = 1; crash <= 3; crash += 1) {
      await expect(work((await claim(runId))!)).rejects.toThrow('not JSON');
      await expire(runId);
    }
    expect(await claim(runId)).toBeUndefined();
    expect((await row(runId)).status).toBe('failed');
  });
});
