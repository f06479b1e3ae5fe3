import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { waitForClosedTransactions } from '../support/open-transactions.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { ProbeTools } from './support/probe.tools.js';
import {
  createWorkflow,
  endWaits,
  getRun,
  postWebhook,
  runToEnd,
  runUntil,
  trigger,
  withoutDigest,
} from './support/workflow-client.js';

const echo = (id: string, value: object, more: object = {}) => ({
  id,
  tool: 'probe_echo',
  arguments: { value },
  ...more,
});
const fail = (id: string, name: string, code: string, more: object = {}) => ({
  id,
  tool: 'probe_fail',
  arguments: { name, code },
  ...more,
});

describe.concurrent('the execution of a run', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  const hurry = (runId: string) => endWaits(switchboard, runId);

  itSlow('limits the expressions of one step together', async () => {
    // Each expression is far below its own limit, even on a busy machine. Only all of them together exceed the limit of
    // a step.
    const busy = '{% for i in (1..20000) %}{% endfor %}';
    const repeat = (text: string, length: number) => [
      echo('s', { list: Array.from({ length }, () => text) }),
    ];
    const slow = await createWorkflow(acme, repeat(busy, 1000));
    const large = await createWorkflow(acme, repeat('{{ trigger.payload }}', 2));
    for (const [workflow, message] of [
      [slow, 'The template takes too long. Make its loops and lists smaller.'],
      [large, 'The arguments of the step are larger than 1572864 bytes.'],
    ] as const) {
      const run = await runToEnd(acme, workflow.id, { text: 'x'.repeat(900_000) });
      expect(run.steps[0]).toMatchObject({
        status: 'failed',
        error: { code: 'invalid_arguments', message },
      });
    }
  });

  itSlow('keeps the journal small when steps read their own run', async () => {
    const steps = Array.from({ length: 30 }, (_, index) => ({
      id: `s${index}`,
      tool: 'get_run',
      arguments: { run_id: '{{ run.id }}' },
    }));
    const workflow = await createWorkflow(acme, steps);
    const run = await runToEnd(acme, workflow.id, {});
    expect(run.status).toBe('succeeded');
    // Later steps read a preview of large outputs. Otherwise each step would double the size of the journal.
    const [journal] = await switchboard.ownerQuery<{ bytes: number }>(
      'select sum(octet_length(output::text))::integer as bytes from run_steps where run_id = $1',
      [run.id],
    );
    expect(journal!.bytes).toBeLessThan(1024 * 1024);
  });

  it('runs the steps in order and shows input, output and status of each', async () => {
    const workflow = await createWorkflow(acme, [
      {
        id: 'person',
        tool: 'create_contact',
        arguments: { email: '{{ trigger.payload.email }}', first_name: 'Ada' },
      },
      echo('greet', { to: '{{ person.id }}', text: 'Hello {{ person.first_name }}' }),
    ]);
    const run = await runToEnd(acme, workflow.id, { email: 'ada@example.com' });
    expect(run).toMatchObject({
      status: 'succeeded',
      reason: null,
      workflow_id: workflow.id,
      workflow_version: 1,
      trigger: { type: 'manual', payload: { email: 'ada@example.com' } },
    });
    expect(run.finished_at).not.toBeNull();
    const [first, second] = run.steps;
    expect(run.steps.map((step) => step.id)).toEqual(['person', 'greet']);
    expect(first).toMatchObject({ tool: 'create_contact', status: 'succeeded', attempts: 1 });
    expect(first!.input).toEqual({ email: 'ada@example.com', first_name: 'Ada' });
    const { contact } = first!.output as { contact: { id: string } };
    expect(second!.output).toEqual({ value: { to: contact.id, text: 'Hello Ada' } });
  });

  it('gives expressions the result of a step, the fields of its resource, and the contact of the run', async () => {
    const { value } = await acme.call<{ contact: { id: string } }>('create_contact', {
      email: 'grace@example.com',
      first_name: 'Grace',
    });
    const workflow = await createWorkflow(acme, [
      echo('who', { id: '{{ contact.id }}', name: '{{ contact.first_name }}' }),
      { id: 'found', tool: 'get_contact', arguments: { contact_id: '{{ contact.id }}' } },
      echo('ways', {
        direct: '{{ found.id }}',
        full: '{{ found.contact.id }}',
        run: '{{ run.id }}',
      }),
    ]);
    const started = await acme.call<{ run_id: string }>('trigger_workflow', {
      workflow_id: workflow.id,
      email: 'Grace@example.com',
    });
    const run = await runUntil(acme, started.value.run_id, 'succeeded', 'failed');
    const { id } = value.contact;
    expect(run.contact_id).toBe(id);
    expect(run.steps[0]!.output).toEqual({ value: { id, name: 'Grace' } });
    expect(run.steps[2]!.output).toEqual({ value: { direct: id, full: id, run: run.id } });
  });

  it('keeps the type of a value that is exactly one expression', async () => {
    const payload = {
      number: 5,
      yes: true,
      list: [1, { a: null }],
      object: { b: 'c' },
      none: null,
    };
    const names = [...Object.keys(payload), 'missing'];
    const value = Object.fromEntries(names.map((name) => [name, `{{ trigger.payload.${name} }}`]));
    const workflow = await createWorkflow(acme, [
      echo('typed', {
        ...value,
        text: 'n={{ trigger.payload.number }}',
        nested: [{ a: '{{ trigger.payload.yes }}' }],
      }),
    ]);
    const run = await runToEnd(acme, workflow.id, payload);
    expect(run.steps[0]!.output).toEqual({
      value: { ...payload, missing: null, text: 'n=5', nested: [{ a: true }] },
    });
  });

  it.each([
    ['pro', ['paid', 'yes', 'after']],
    ['free', ['paid', 'no', 'after']],
  ])('takes the branch that its condition chooses: %s', async (plan, steps) => {
    const workflow = await createWorkflow(acme, [
      {
        id: 'paid',
        if: "trigger.payload.plan == 'pro'",
        then: [echo('yes', {})],
        else: [echo('no', {})],
      },
      echo('after', { branch: '{{ paid.branch }}' }),
    ]);
    const run = await runToEnd(acme, workflow.id, { plan });
    expect(run.status).toBe('succeeded');
    expect(run.steps.map((step) => step.id)).toEqual(steps);
  });

  it('skips a step whose condition is false', async () => {
    const workflow = await createWorkflow(acme, [
      echo('maybe', {}, { if: 'trigger.payload.wanted' }),
      echo('after', { seen: '{{ maybe.value }}' }),
    ]);
    const run = await runToEnd(acme, workflow.id, { wanted: false });
    expect(run.steps.map((step) => step.status)).toEqual(['skipped', 'succeeded']);
  });

  it('succeeds without steps', async () => {
    const workflow = await createWorkflow(acme, []);
    expect(await runToEnd(acme, workflow.id)).toMatchObject({ status: 'succeeded', steps: [] });
  });

  it('stores a wait as a row and continues when the wait is due', async () => {
    const workflow = await createWorkflow(acme, [
      { id: 'pause', wait: { days: 1 } },
      echo('after', { at: '{{ pause.until }}' }),
    ]);
    const runId = await trigger(acme, workflow.id);
    const waiting = await runUntil(acme, runId, 'waiting');
    expect(waiting.reason).toBe('wait');
    expect(waiting.steps).toMatchObject([{ id: 'pause', status: 'waiting' }]);
    const until = Date.parse(String(waiting.steps[0]!.output!.until));
    expect(Math.abs(until - Date.now() - 86_400_000)).toBeLessThan(60_000);
    await hurry(runId);
    const run = await runUntil(acme, runId, 'succeeded', 'failed');
    expect(run.steps.map((step) => step.status)).toEqual(['succeeded', 'succeeded']);
  });

  itSlow(
    'waits until a time given by an expression, and does not wait when this time has passed',
    async () => {
      const workflow = await createWorkflow(acme, [
        { id: 'pause', wait: { until: '{{ trigger.payload.at }}' } },
      ]);
      const past = await runToEnd(acme, workflow.id, { at: '2020-01-01T00:00:00Z' });
      expect(past.status).toBe('succeeded');
      const wrong = await runToEnd(acme, workflow.id, { at: 'tomorrow' });
      expect(wrong).toMatchObject({ status: 'failed', reason: 'step_failed:pause' });
      expect(wrong.steps[0]!.error!.code).toBe('invalid_arguments');
      const far = await runToEnd(acme, workflow.id, { at: '2999-01-01T00:00:00Z' });
      expect(far.status).toBe('failed');
      const soon = new Date(Date.now() + 1500).toISOString();
      expect((await runToEnd(acme, workflow.id, { at: soon })).status).toBe('succeeded');
    },
  );

  itSlow('continues without a poll after a short wait', async () => {
    const workflow = await createWorkflow(acme, [{ id: 'pause', wait: { seconds: 1 } }]);
    const run = await runToEnd(acme, workflow.id);
    const { started_at: from, finished_at: to } = run.steps[0]!;
    expect(Date.parse(to!) - Date.parse(from!)).toBeGreaterThanOrEqual(1000);
  });

  it('ends the run at the first final failure of a step', async () => {
    const workflow = await createWorkflow(acme, [
      fail('broken', 'final', 'conflict'),
      echo('never', {}),
    ]);
    const run = await runToEnd(acme, workflow.id);
    expect(run).toMatchObject({ status: 'failed', reason: 'step_failed:broken' });
    expect(run.steps).toMatchObject([
      { id: 'broken', status: 'failed', attempts: 1, error: { code: 'conflict' } },
    ]);
    expect(ProbeTools.count('final')).toBe(1);
  });

  it('continues after a failure of a step with on_error "continue"', async () => {
    const workflow = await createWorkflow(acme, [
      fail('broken', 'passed over', 'conflict', { on_error: 'continue' }),
      echo('after', { code: '{{ broken.error.code }}' }),
    ]);
    const run = await runToEnd(acme, workflow.id);
    expect(run.status).toBe('succeeded');
    expect(run.steps[1]!.output).toEqual({ value: { code: 'conflict' } });
  });

  it('retries after a temporary error, with growing pauses', async () => {
    ProbeTools.failures.set('flaky', 2);
    const workflow = await createWorkflow(acme, [fail('flaky', 'flaky', 'unavailable')]);
    const runId = await trigger(acme, workflow.id);
    const first = await runUntil(acme, runId, 'waiting');
    expect(first).toMatchObject({ reason: 'retry', steps: [{ status: 'waiting' }] });
    await hurry(runId);
    const pause = await switchboard.ownerQuery<{ attempts: number }>(
      `select attempts from run_steps where run_id = $1`,
      [runId],
    );
    expect(pause[0]!.attempts).toBeGreaterThanOrEqual(1);
    let isRunning = true;
    const ended = runUntil(acme, runId, 'succeeded', 'failed').finally(() => {
      isRunning = false;
    });
    while (isRunning) {
      await hurry(runId);
      await sleep(50);
    }
    const run = await ended;
    expect(run.steps).toMatchObject([{ status: 'succeeded', attempts: 3, error: null }]);
  });

  itSlow(
    'gives up after max_attempts and never shows the message of an unknown error',
    async () => {
      const workflow = await createWorkflow(acme, [
        fail('crashing', 'crashing', 'crash', { retry: { max_attempts: 2 } }),
      ]);
      const runId = await trigger(acme, workflow.id);
      const run = await runUntil(acme, runId, 'failed');
      expect(run.steps).toMatchObject([
        { status: 'failed', attempts: 2, error: { code: 'internal' } },
      ]);
      expect(JSON.stringify(run)).not.toContain('secret detail');
      expect(ProbeTools.count('crashing')).toBe(2);
    },
  );

  it('fails a step whose rendered arguments are invalid, without any effect', async () => {
    const workflow = await createWorkflow(acme, [
      { id: 'add', tool: 'create_contact', arguments: { email: '{{ trigger.payload.email }}' } },
    ]);
    for (const email of [
      'nobody',
      'a\u0000@example.com',
      '\ud800@example.com',
      7,
      null,
      { a: 1 },
    ]) {
      const { body } = await postWebhook(switchboard, workflow.id, { email });
      const run = await runUntil(acme, body.runId, 'succeeded', 'failed');
      expect(run).toMatchObject({ status: 'failed', reason: 'step_failed:add' });
      expect(run.steps[0]!.error!.code).toBe('invalid_arguments');
    }
  });

  it('makes external calls without a transaction and with a constant idempotency key', async ({
    expect,
  }) => {
    ProbeTools.hold('outside');
    const workflow = await createWorkflow(acme, [
      { id: 'send', tool: 'probe_outside', arguments: { name: 'outside' } },
    ]);
    const runId = await trigger(acme, workflow.id);
    const running = await runUntil(acme, runId, 'running');
    expect(running.status).toBe('running');
    await expect
      .poll(async () => (await getRun(acme, runId)).steps)
      .toMatchObject([{ id: 'send', status: 'running', attempts: 1 }]);
    // Waits until the call has begun, because a transaction before the call reads the key.
    await waitFor(() => ProbeTools.count('outside') === 1);
    await waitForClosedTransactions(switchboard);
    ProbeTools.open('outside');
    const run = await runUntil(acme, runId, 'succeeded', 'failed');
    expect(run.status).toBe('succeeded');
    expect(withoutDigest(ProbeTools.calls.find((call) => call.name === 'outside')!.key)).toBe(
      `${runId}:send`,
    );
  });

  it('stops runs that start each other endlessly', async ({ expect }) => {
    const workflow = await createWorkflow(acme, [
      {
        id: 'again',
        tool: 'trigger_workflow',
        arguments: { workflow_id: '{{ workflow.id }}', payload: {} },
      },
    ]);
    await runToEnd(acme, workflow.id);
    await expect
      .poll(
        async () => {
          const { value } = await acme.call<{ runs: { status: string }[] }>('list_runs', {
            workflow_id: workflow.id,
          });
          return value.runs.map((run) => run.status).sort();
        },
        { timeout: 20_000 },
      )
      .toEqual(['failed', ...Array.from({ length: 8 }, () => 'succeeded')]);
  });
});
