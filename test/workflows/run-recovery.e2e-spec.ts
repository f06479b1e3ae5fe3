import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DomainEvents } from '../../src/events/domain-events.js';
import { GateDatabase } from '../../src/database/gate-database.js';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { ClaimedRun } from '../../src/workflows/journal/claimed-run.js';
import { RunJournalRepository } from '../../src/workflows/journal/run-journal.repository.js';
import { RunTransaction } from '../../src/workflows/journal/run-transaction.js';
import type { Run } from '../../src/workflows/journal/run.entity.js';
import { RunWorker } from '../../src/workflows/engine/run.worker.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { ProbeEffectTools, ProbeTools } from './support/probe.tools.js';
import {
  createWorkflow,
  endWaits,
  getRun,
  trigger,
  withoutDigest,
} from './support/workflow-client.js';

// No worker runs here: the test acts as all workers, so that each can die at an exact moment.
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
  const fail = (id: string) => ({
    id,
    tool: 'probe_fail',
    arguments: { name: 'died', code: 'conflict' },
  });
  /** Executes the run until the call of this name, and lets the worker lose its lease during the call. */
  const dieDuring = async (runId: string, name: string) => {
    await expire(runId);
    const held = (await claim(runId))!;
    const lost = new AbortController();
    const before = ProbeTools.count(name);
    const dying = work(held, lost.signal);
    await waitFor(async () => ProbeTools.count(name) > before);
    lost.abort();
    ProbeTools.open(name);
    await dying;
  };
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

  it('gives a run to one worker at a time, for the duration of a lease', async () => {
    const workflow = await createWorkflow(acme, [effect('a', 'lease')]);
    const runId = await trigger(acme, workflow.id);
    const claims = await Promise.all(Array.from({ length: 8 }, () => claim(runId)));
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect((await row(runId)).lease).toBeGreaterThan(10);
    expect(await claim(runId)).toBeUndefined();
  });

  it.each([-1, 1])(
    'measures leases by the database clock, even if the clock of the worker differs by %d h',
    async (hours) => {
      const workflow = await createWorkflow(acme, []);
      const runId = await trigger(acme, workflow.id);
      const otherId = await trigger(acme, workflow.id);
      const other = await claim(otherId);
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 });
      try {
        const held = (await claim(runId))!;
        for (const renewed of [false, true]) {
          if (renewed) await worker.renew([held]);
          expect((await row(runId)).lease).toBeGreaterThan(10);
          expect((await row(runId)).lease).toBeLessThanOrEqual(15);
        }
        expect(await claim(otherId)).toBeUndefined();
      } finally {
        vi.useRealTimers();
      }
      await work(other!);
    },
  );

  it('runs the steps of on_failure once when workers die before, between and during them', async () => {
    const workflow = await createWorkflow(acme, [fail('broken')], {
      on_failure: [effect('first', 'failed once'), outside('second', 'failed outside')],
    });
    const runId = await trigger(acme, workflow.id);
    ProbeTools.hold('failed once');
    await dieDuring(runId, 'failed once');
    expect(await effects('failed once')).toBe(0);
    ProbeTools.hold('failed outside');
    await dieDuring(runId, 'failed outside');
    ProbeTools.open('failed outside');
    await expire(runId);
    await work((await claim(runId))!);
    const run = await getRun(acme, runId);
    expect(run.status).toBe('failed');
    expect(run.steps.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'broken failed',
      'workflow.on_failure succeeded',
      'first succeeded',
      'second succeeded',
    ]);
    expect(ProbeTools.count('died')).toBe(1);
    expect(await effects('failed once')).toBe(1);
    const keys = ProbeTools.calls.filter(({ name }) => name === 'failed outside');
    expect(new Set(keys.map(({ key }) => key)).size).toBe(1);
  });

  it('emits the event of a step once when the worker dies while the step emits it', async () => {
    const events = switchboard.app.get(DomainEvents, { strict: false });
    events.subscribe(async (_organizationId, { name }) => {
      ProbeTools.calls.push({ name });
      await ProbeTools.waitFor(name);
    });
    const event = 'custom.dying';
    const started = await createWorkflow(acme, [], { trigger: { type: 'event', event } });
    const emit = { id: 'emit', tool: 'emit_event', arguments: { event } };
    const runId = await trigger(acme, (await createWorkflow(acme, [emit])).id);
    const runs = async () =>
      await switchboard.ownerQuery<{ id: string }>(
        'select id from workflow_runs where workflow_id = $1',
        [started.id],
      );
    ProbeTools.hold(event);
    await dieDuring(runId, event);
    expect(await runs()).toEqual([]);
    await expire(runId);
    await work((await claim(runId))!);
    expect((await row(runId)).status).toBe('succeeded');
    const [first, ...more] = await runs();
    expect(more).toEqual([]);
    await work((await claim(first!.id))!);
  });

  it('claims the run that has waited longest', async () => {
    const workflow = await createWorkflow(acme, []);
    const ids = [await trigger(acme, workflow.id), await trigger(acme, workflow.id)];
    for (const [days, id] of [
      [1, ids[0]],
      [2, ids[1]],
    ]) {
      await switchboard.ownerQuery(
        `update workflow_runs set available_at = now() - make_interval(days => $1) where id = $2`,
        [days, id],
      );
    }
    expect((await worker.claim(1)).map(({ id }) => id)).toEqual([ids[1]]);
    expect((await worker.claim(1)).map(({ id }) => id)).toEqual([ids[0]]);
  });

  it('claims a run of a dead worker before any run that has not begun', async () => {
    const workflow = await createWorkflow(acme, []);
    const [begun, ...waiting] = [
      await trigger(acme, workflow.id),
      await trigger(acme, workflow.id),
      await trigger(acme, workflow.id),
    ];
    await claim(begun);
    await expire(begun);
    await switchboard.ownerQuery(
      `update workflow_runs set available_at = now() - interval '1 day' where id = any($1)`,
      [waiting],
    );
    expect((await worker.claim(1)).map(({ id }) => id)).toEqual([begun]);
    expect((await worker.claim(5)).map(({ id }) => id).sort()).toEqual(waiting.sort());
  });

  it.each([true, false])(
    'never changes the row of a finished step (the worker has loaded this row: %s)',
    async (isKnown) => {
      const workflow = await createWorkflow(acme, [effect('a', 'walled')]);
      const runId = await trigger(acme, workflow.id);
      await work((await claim(runId))!);
      const journal = switchboard.app.get(RunJournalRepository, { strict: false });
      const again = switchboard.app.get(TenantDatabase).transaction(acme.id, async () => {
        const [entry] = await journal.readSteps(acme.id, runId, ['a']);
        const lease = { id: runId, organizationId: acme.id, epoch: 1 };
        const data = { row: { crashes: 0 } as Run, workflowName: '', payload: {}, steps: [] };
        const known = isKnown ? [entry!] : [];
        const run = new ClaimedRun(lease, new AbortController().signal, data, known);
        journal.record(new RunTransaction(run), { ...entry!, status: 'failed' });
      });
      await expect(again).rejects.toThrow('lease of the run is lost');
      expect((await getRun(acme, runId)).steps).toMatchObject([{ status: 'succeeded' }]);
    },
  );

  it('continues on another worker after the lease, and the first worker stops writing', async () => {
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
    expect(keys.map(withoutDigest)).toEqual([`${runId}:call`, `${runId}:call`]);
    expect(new Set(keys).size).toBe(1);
  });

  it('prevents writes of a worker that lost its lease, even before another worker writes', async () => {
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

  it('prevents a worker from committing its first transaction after the run is canceled', async () => {
    ProbeTools.hold('unlocked');
    const look = { id: 'look', tool: 'probe_echo', arguments: { value: {} } };
    const workflow = await createWorkflow(acme, [look, effect('after', 'unlocked')]);
    const runId = await trigger(acme, workflow.id);
    const working = work((await claim(runId))!);
    await waitFor(() => ProbeTools.count('unlocked') === 1);
    // The cancellation does not wait, because the transaction has read the run without a lock.
    await acme.call('cancel_run', { run_id: runId });
    ProbeTools.open('unlocked');
    await working;
    expect(await getRun(acme, runId)).toMatchObject({ status: 'canceled', steps: [] });
    expect(await effects('unlocked')).toBe(0);
  });

  it('prevents writes of a worker that released the run, even before the next claim', async () => {
    ProbeTools.hold('given back');
    const workflow = await createWorkflow(acme, [outside('call', 'given back')]);
    const runId = await trigger(acme, workflow.id);
    const held = (await claim(runId))!;
    const working = work(held);
    await waitFor(() => ProbeTools.count('given back') === 1);
    await worker.release([held]);
    ProbeTools.open('given back');
    await working;
    expect(await getRun(acme, runId)).toMatchObject({
      status: 'queued',
      steps: [{ id: 'call', status: 'running' }],
    });
  });

  it('rolls back the effect of a step that is stopped in the middle, and then executes the step once', async () => {
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

  it('cancels a run after the running step has committed, and begins no step after the response', async () => {
    for (const name of ['last', 'too late']) ProbeTools.hold(name);
    const steps = [effect('a', 'last'), outside('b', 'too late'), effect('c', 'too late')];
    const runId = await trigger(acme, (await createWorkflow(acme, steps)).id);
    const working = work((await claim(runId))!);
    await waitFor(() => ProbeTools.count('last') === 1);
    const cancellation = acme.call('cancel_run', { run_id: runId });
    await waitFor(async () => {
      const waiting = await switchboard.ownerQuery(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
    ProbeTools.open('last');
    await cancellation;
    ProbeTools.open('too late');
    await working;
    const run = await getRun(acme, runId);
    expect(run.status).toBe('canceled');
    expect(run.steps[0]).toMatchObject({ id: 'a', status: 'succeeded' });
    // After the commit of the step, the next step may lock the row before the cancellation.
    expect(run.steps.slice(1).map(({ id, status }) => `${id} ${status}`)).toEqual(
      run.steps.length > 1 ? ['b canceled'] : [],
    );
    expect(await effects('last')).toBe(1);
    expect(await effects('too late')).toBe(0);
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

  itSlow(
    'does not let another worker claim a run during an internal step, although the lease ends',
    async () => {
      ProbeTools.hold('slow');
      const workflow = await createWorkflow(acme, [effect('a', 'slow')]);
      const runId = await trigger(acme, workflow.id);
      const gate = switchboard.app.get(GateDatabase);
      const [{ epoch }] = (await gate.call<{ epoch: number }>('claim_runs', [1, runId, 1])) as [
        { epoch: number },
      ];
      const working = work({ id: runId, organizationId: acme.id, epoch });
      await waitFor(() => ProbeTools.count('slow') === 1);
      await waitFor(async () => (await row(runId)).lease < 0);
      expect(await claim(runId)).toBeUndefined();
      ProbeTools.open('slow');
      await working;
      expect((await getRun(acme, runId)).status).toBe('succeeded');
      expect(await effects('slow')).toBe(1);
    },
  );

  it('renews a current lease, but not a lost lease', async () => {
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

  it('pauses 1 s after the first failed attempt and 5 s after the second', async () => {
    const workflow = await createWorkflow(acme, [
      { id: 'a', tool: 'probe_fail', arguments: { name: 'pauses', code: 'unavailable' } },
    ]);
    const runId = await trigger(acme, workflow.id);
    for (const seconds of [1, 5]) {
      await work((await claim(runId))!);
      const { status, lease } = await row(runId);
      expect(status).toBe('waiting');
      expect(lease).toBeLessThanOrEqual(seconds);
      expect(lease).toBeGreaterThan(seconds - 0.9);
      await endWaits(switchboard, runId);
    }
    await work((await claim(runId))!);
    expect((await row(runId)).status).toBe('failed');
  });

  it('parks a run after three crashes, and the parked run can be retried', async () => {
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
    expect((await row(runId)).crashes).toBe(0);
    await work((await claim(runId))!);
    expect((await getRun(acme, runId)).status).toBe('succeeded');
  });

  it('resets the count of crashes when a step is done', async () => {
    ProbeTools.hold('second');
    const workflow = await createWorkflow(acme, [effect('a', 'first'), outside('b', 'second')]);
    const runId = await trigger(acme, workflow.id);
    for (let crash = 1; crash <= 2; crash += 1) {
      await claim(runId);
      await expire(runId);
    }
    const held = (await claim(runId))!;
    expect((await row(runId)).crashes).toBe(2);
    // The lease of 15 s ends in 2 s, as if it had been renewed 13 s ago.
    await switchboard.ownerQuery(
      `update workflow_runs set available_at = now() + interval '2 s' where id = $1`,
      [runId],
    );
    const working = work(held);
    await waitFor(() => ProbeTools.count('second') === 1);
    expect((await row(runId)).crashes).toBe(0);
    expect((await row(runId)).lease).toBeGreaterThan(10);
    ProbeTools.open('second');
    await working;
    expect((await getRun(acme, runId)).status).toBe('succeeded');
  });

  it.each<[string, object]>([
    ['a wait', { id: 'pause', wait: { days: 1 } }],
    [
      'another attempt',
      { id: 'try', tool: 'probe_fail', arguments: { name: 'forgiven', code: 'unavailable' } },
    ],
  ])('resets the count of crashes when a run waits for %s', async (_what, step) => {
    const workflow = await createWorkflow(acme, [step]);
    const runId = await trigger(acme, workflow.id);
    for (let crash = 1; crash <= 2; crash += 1) {
      await claim(runId);
      await expire(runId);
    }
    await work((await claim(runId))!);
    expect(await row(runId)).toMatchObject({ status: 'waiting', crashes: 0 });
  });

  it('parks a run whose stored payload cannot be parsed, while other runs continue', async () => {
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

  // This test is the last one: its worker also claims the runs of the other tests.
  it('waits for the running step at shutdown, and records its result', async () => {
    ProbeTools.hold('stopping');
    const stopping = await startSwitchboard({
      env: { ROLE: 'worker' },
      databaseUrl: switchboard.databaseUrl,
      providers: [ProbeTools, ProbeEffectTools],
    });
    const workflow = await createWorkflow(acme, [outside('call', 'stopping')]);
    const runId = await trigger(acme, workflow.id);
    await waitFor(() => ProbeTools.count('stopping') === 1);
    const stopped = stopping.close();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    ProbeTools.open('stopping');
    await stopped;
    expect((await getRun(acme, runId)).status).toBe('succeeded');
  });
});
