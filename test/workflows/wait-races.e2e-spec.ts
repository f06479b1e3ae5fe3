import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EventWorker } from '../../src/workflows/waits/event.worker.js';
import { RunWorker } from '../../src/workflows/engine/run.worker.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { HeldTransactions } from './support/held-transactions.js';
import { createWorkflow, getRun, type RunShape, trigger } from './support/workflow-client.js';

const wait = (event: string) => ({
  id: 'wait',
  wait_for_event: { event, timeout: { days: 3 } },
});

// No worker runs here: the test acts as all workers, and keeps transactions open at the critical moments.
describe('a wait that begins or ends while its event is stored', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let runs: RunWorker;
  let events: EventWorker;
  let held: HeldTransactions;
  let counter = 0;

  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
    runs = switchboard.app.get(RunWorker, { strict: false });
    events = switchboard.app.get(EventWorker, { strict: false });
    held = await HeldTransactions.in(switchboard.databaseUrl);
  });
  beforeEach(async () => {
    acme = await createOrganization(switchboard);
  });
  afterAll(async () => {
    await held.close();
    await switchboard.close();
  });

  const signal = new AbortController().signal;
  const claim = async (runId: string) => {
    const [taken] = await runs.claim(1, runId);
    if (!taken) throw new Error('The run is not due.');
    return taken;
  };
  const carryOn = async (runId: string) => runs.work(await claim(runId), signal);
  const handOn = async () => {
    for (const event of await events.claim(10)) await events.work(event, signal);
  };
  const setDue = (runId: string, isTimeOver = false) =>
    Promise.all([
      switchboard.ownerQuery(`update workflow_runs set available_at = now() where id = $1`, [
        runId,
      ]),
      isTimeOver &&
        switchboard.ownerQuery(`update run_steps set wake_at = now() where run_id = $1`, [runId]),
    ]);
  const isDue = async (runId: string): Promise<boolean> => {
    const [row] = await switchboard.ownerQuery<{ due: boolean }>(
      `select status in ('queued', 'waiting') and available_at <= now() as due from workflow_runs where id = $1`,
      [runId],
    );
    return row!.due;
  };
  const happen = async () => {
    counter += 1;
    const { error } = await acme.call('create_contact', { email: `race${counter}@example.com` });
    if (error) throw new Error(error.message);
  };
  const begun = async (steps: object[]): Promise<string> => {
    const workflow = await createWorkflow(acme, steps, { trigger: { type: 'manual' } });
    return await trigger(acme, workflow.id);
  };
  const stepOf = (run: RunShape, id = 'wait') => run.steps.find((step) => step.id === id)!;
  it('uses an event whose transaction was open when the wait began', async () => {
    const runId = await begun([wait('contact.created')]);
    await held.hold('insert', 'pending_events');
    const happening = happen();
    await held.blocked(1);
    await carryOn(runId);
    expect(await getRun(acme, runId)).toMatchObject({ status: 'waiting', reason: 'event' });
    await held.release();
    await happening;
    await handOn();
    expect(await isDue(runId)).toBe(true);
    await carryOn(runId);
    expect(await getRun(acme, runId)).toMatchObject({
      status: 'succeeded',
      steps: [{ output: { event: { event: 'contact.created' }, timed_out: false } }],
    });
  });

  it('uses the next event when an earlier event was delivered before the wait committed', async () => {
    const runId = await begun([wait('contact.created')]);
    await held.hold('insert', 'run_waits');
    const beginning = carryOn(runId);
    await held.blocked(1);
    await happen();
    await handOn();
    await held.release();
    await beginning;
    expect(await getRun(acme, runId)).toMatchObject({ status: 'waiting' });
    expect(await isDue(runId)).toBe(false);
    await happen();
    await handOn();
    expect(await isDue(runId)).toBe(true);
  });

  it('receives its event while a worker is about to suspend the run', async () => {
    const runId = await begun([wait('contact.created')]);
    await carryOn(runId);
    // Creates the state after an early wake-up, or after a wake-up for another branch.
    await setDue(runId);
    const taken = await claim(runId);
    await happen();
    await held.hold('update', 'run_waits', `new.state = 'delivered'`);
    const handing = handOn();
    await held.blocked(1);
    const parking = runs.work(taken, signal);
    await held.blocked(2);
    await held.release();
    await Promise.all([handing, parking]);
    expect(await getRun(acme, runId)).toMatchObject({
      status: 'succeeded',
      steps: [{ output: { timed_out: false } }],
    });
  });

  it('receives its event while the suspension of the run is not committed', async () => {
    const runId = await begun([wait('contact.created')]);
    await carryOn(runId);
    await setDue(runId);
    const taken = await claim(runId);
    await happen();
    await held.hold('update', 'workflow_runs', `new.status = 'waiting' and old.status = 'running'`);
    const parking = runs.work(taken, signal);
    await held.blocked(1);
    const handing = handOn();
    await held.blocked(2);
    await held.release();
    await Promise.all([handing, parking]);
    expect(await isDue(runId)).toBe(true);
    await carryOn(runId);
    expect(stepOf(await getRun(acme, runId)).output).toMatchObject({ timed_out: false });
  });

  it('is woken after another transaction, such as a merge of its contact, has locked its run during the delivery', async () => {
    const runId = await begun([wait('contact.created')]);
    await carryOn(runId);
    const merge = new Client({ connectionString: switchboard.databaseUrl });
    await merge.connect();
    await merge.query('begin');
    await merge.query('update workflow_runs set contact_id = contact_id where id = $1', [runId]);
    await happen();
    await handOn();
    await merge.end();
    expect(await isDue(runId)).toBe(false);
    const [due] = await switchboard.ownerQuery<{ kinds: string[] }>(
      'select gate.find_due_work() as kinds',
    );
    expect(due!.kinds).toContain('run');
    await switchboard.ownerQuery('select * from gate.wake_runs(10)');
    await carryOn(runId);
    expect(stepOf(await getRun(acme, runId)).output).toMatchObject({ timed_out: false });
  });

  it('uses an event that happened before its timeout, even when the event is delivered later', async () => {
    const runId = await begun([wait('contact.created')]);
    await carryOn(runId);
    await happen();
    await setDue(runId, true);
    await carryOn(runId);
    expect(await getRun(acme, runId)).toMatchObject({ status: 'waiting', reason: 'event' });
    await handOn();
    expect(await isDue(runId)).toBe(true);
    await carryOn(runId);
    expect(stepOf(await getRun(acme, runId)).output).toMatchObject({ timed_out: false });
  });

  it('uses one of several events that happened before its timeout and is delivered later', async () => {
    const events = ['custom.paid', 'contact.created'];
    const runId = await begun([{ id: 'wait', wait_for_event: { events, timeout: { days: 3 } } }]);
    await carryOn(runId);
    await happen();
    await setDue(runId, true);
    await carryOn(runId);
    await handOn();
    await carryOn(runId);
    expect(stepOf(await getRun(acme, runId)).output).toMatchObject({ timed_out: false });
  });

  it('times out when the events before its timeout do not meet its condition', async () => {
    const timeout = { days: 3 };
    const step = { event: 'contact.created', if: 'event.contact.email == "none"', timeout };
    const runId = await begun([{ id: 'wait', wait_for_event: step }]);
    await carryOn(runId);
    await happen();
    await setDue(runId, true);
    await carryOn(runId);
    // The run is due again after a pause, so a long queue of events does not keep workers busy with waits.
    expect(await isDue(runId)).toBe(false);
    await handOn();
    // An event after the timeout does not delay the end of the wait.
    await happen();
    await setDue(runId);
    await switchboard.ownerQuery(
      `update run_steps set wake_at = least(wake_at, now()) where run_id = $1`,
      [runId],
    );
    await carryOn(runId);
    expect(stepOf(await getRun(acme, runId)).output).toMatchObject({ timed_out: true });
    await handOn();
  });

  it('times out when only an event after its timeout meets its condition, even while an earlier event is not delivered', async () => {
    const step = {
      event: 'contact.created',
      if: `event.contact.email == "race${counter + 2}@example.com"`,
      timeout: { seconds: 1 },
    };
    const runId = await begun([{ id: 'wait', wait_for_event: step }]);
    await carryOn(runId);
    await happen();
    await sleep(1100);
    await happen();
    await setDue(runId);
    await carryOn(runId);
    expect(await getRun(acme, runId)).toMatchObject({ status: 'waiting', reason: 'event' });
    await handOn();
    await setDue(runId, true);
    await carryOn(runId);
    expect(stepOf(await getRun(acme, runId)).output).toMatchObject({ timed_out: true });
  });

  it('times out while events with another name or about another contact are not delivered', async () => {
    const { value } = await acme.call<{ contact: { id: string } }>('create_contact', {
      email: 'waits@example.com',
    });
    const workflow = await createWorkflow(acme, [wait('contact.created')], {
      trigger: { type: 'manual' },
    });
    const other = await createWorkflow(acme, [wait('custom.paid')], {
      trigger: { type: 'manual' },
    });
    const started = await acme.call<{ run_id: string }>('trigger_workflow', {
      workflow_id: workflow.id,
      contact_id: value.contact.id,
    });
    const runIds = [started.value.run_id, await trigger(acme, other.id)];
    for (const runId of runIds) await carryOn(runId);
    await happen();
    for (const runId of runIds) {
      await setDue(runId, true);
      await carryOn(runId);
      expect(stepOf(await getRun(acme, runId)).output).toMatchObject({ timed_out: true });
    }
    await handOn();
  });

  it.each([
    ['the event', true],
    ['the timeout', false],
  ])('ends once, with the outcome that is written first: %s', async (_name, isEventFirst) => {
    const runId = await begun([wait('contact.created')]);
    await carryOn(runId);
    if (isEventFirst) await happen();
    await setDue(runId, true);
    // An event that happens before the timeout would keep the wait from timing out.
    if (!isEventFirst) await happen();
    const taken = await claim(runId);
    await (isEventFirst
      ? held.hold('update', 'run_waits', `new.state = 'delivered'`)
      : held.hold('delete', 'run_waits'));
    const first = isEventFirst ? handOn() : runs.work(taken, signal);
    await held.blocked(1);
    const second = isEventFirst ? runs.work(taken, signal) : handOn();
    await held.blocked(2);
    await held.release();
    await Promise.all([first, second]);
    const run = await getRun(acme, runId);
    expect(run.status).toBe('succeeded');
    expect(stepOf(run).output).toMatchObject({
      timed_out: !isEventFirst,
      event: isEventFirst ? { event: 'contact.created' } : null,
    });
    expect(await switchboard.ownerQuery('select from pending_events')).toEqual([]);
  });
});
