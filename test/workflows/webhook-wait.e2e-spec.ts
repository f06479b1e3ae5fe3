import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import {
  type RunningSwitchboard,
  sharedSwitchboard,
  startSwitchboard,
} from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { ProbeTools } from './support/probe.tools.js';
import { createWorkflow, getRun, postWebhook, runUntil } from './support/workflow-client.js';

const ECHO = {
  id: 'said',
  tool: 'probe_echo',
  arguments: { value: { name: '{{ trigger.payload.name }}' } },
};

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const create = (steps: object[], trigger: object = { wait_seconds: 30 }) =>
  createWorkflow(acme, steps, { trigger: { type: 'webhook', ...trigger } });
const held = (name: string) => ({ id: 'held', tool: 'probe_outside', arguments: { name } });

describe('a webhook that waits', () => {
  it('answers with the outputs of the steps', async () => {
    const { id, trigger } = await create([ECHO]);
    expect(trigger).toEqual({ type: 'webhook', wait_seconds: 30 });
    const answer = await postWebhook(switchboard, id, { name: 'Ada' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ok: true,
      runId: expect.stringMatching(/^run_/) as string,
      status: 'succeeded',
      outputs: { said: { value: { name: 'Ada' } } },
    });
    expect((await getRun(acme, answer.body.runId)).status).toBe('succeeded');
  });

  it('answers a duplicate with the same outputs, and starts no run', async () => {
    const { id } = await create([ECHO]);
    const post = () => postWebhook(switchboard, id, { name: 'Ada' }, { 'idempotency-key': 'once' });
    const [first, again] = [await post(), await post()];
    expect(again.status).toBe(200);
    expect(again.body).toEqual({ ...first.body, duplicate: true });
  });

  it('answers with the failure of the step', async () => {
    const { id } = await create([
      { id: 'bad', tool: 'probe_fail', arguments: { name: 'w', code: 'conflict' } },
    ]);
    const answer = await postWebhook(switchboard, id, {});
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      ok: true,
      status: 'failed',
      error: { code: 'conflict', message: expect.stringContaining('at step bad') as string },
    });
  });

  it('answers 202 with the run id when the run takes longer than the wait, and the run continues', async () => {
    ProbeTools.hold('slow');
    const { id } = await create([held('slow')]);
    const answer = await postWebhook(switchboard, id, {}, { Prefer: 'wait=1' });
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ ok: true, runId: answer.body.runId });
    ProbeTools.open('slow');
    await runUntil(acme, answer.body.runId, 'succeeded');
  });

  itSlow('says when the outputs are too large for the answer', async () => {
    const echo = (id: string) => ({
      id,
      tool: 'probe_echo',
      arguments: { value: { text: '{{ trigger.payload.text }}' } },
    });
    const { id } = await create([echo('a'), echo('b')]);
    const answer = await postWebhook(switchboard, id, { text: 'x'.repeat(600_000) });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ok: true,
      runId: answer.body.runId,
      status: 'succeeded',
      message: expect.stringMatching(
        /^The outputs have more than 1048576 bytes together\./,
      ) as string,
    });
  });

  it('answers as soon as the run is canceled', async () => {
    ProbeTools.hold('canceled');
    const { id } = await create([held('canceled')]);
    const answering = postWebhook(switchboard, id, {});
    const runId = await waitFor(async () => {
      const { value } = await acme.call<{ runs: { id: string }[] }>('list_runs', {
        workflow_id: id,
      });
      return value.runs[0]?.id;
    });
    await acme.call('cancel_run', { run_id: runId });
    expect((await answering).body).toEqual({ ok: true, runId, status: 'canceled' });
    ProbeTools.open('canceled');
  });

  it.each(['wait=0', 'respond-async'])(
    'does not wait for senders that prefer %s',
    async (prefer) => {
      const { id } = await create([ECHO]);
      const answer = await postWebhook(switchboard, id, { name: 'Ada' }, { Prefer: prefer });
      expect(answer.status).toBe(202);
      expect(Object.keys(answer.body)).toEqual(['ok', 'runId']);
    },
  );

  it('shows no outputs when the workflow does not allow outputs, even if the sender prefers them', async () => {
    const { id } = await create([ECHO], {});
    const answer = await postWebhook(switchboard, id, { name: 'Ada' }, { Prefer: 'wait=10' });
    expect(answer.status).toBe(202);
    expect(Object.keys(answer.body)).toEqual(['ok', 'runId']);
    const update = (seconds: unknown) =>
      acme.call<{ workflow: { version: number; trigger: object } }>('update_workflow', {
        workflow_id: id,
        trigger: { type: 'webhook', wait_seconds: seconds },
      });
    expect((await update(5)).value.workflow).toMatchObject({
      version: 2,
      trigger: { type: 'webhook', wait_seconds: 5 },
    });
    expect((await postWebhook(switchboard, id, { name: 'Ada' })).status).toBe(200);
    expect((await update(null)).value.workflow.trigger).toEqual({ type: 'webhook' });
    expect((await postWebhook(switchboard, id, { name: 'Ada' })).status).toBe(202);
    for (const seconds of [0, 31, 1.5, '5', true]) {
      expect((await update(seconds)).error).toMatchObject({
        details: [{ path: 'trigger.wait_seconds' }],
      });
    }
  });

  itSlow(
    'lets fifty senders of an organization wait, and answers other senders at once',
    async () => {
      ProbeTools.hold('many');
      const { id } = await create([held('many')]);
      const answers: number[] = [];
      const all = Array.from({ length: 55 }, async () => {
        const { status } = await postWebhook(switchboard, id, {});
        answers.push(status);
      });
      await waitFor(() => answers.length >= 5);
      expect(answers).toEqual([202, 202, 202, 202, 202]);
      ProbeTools.open('many');
      await Promise.all(all);
      expect(answers.slice(5)).toEqual(Array.from({ length: 50 }, () => 200));
    },
  );

  itSlow('answers waiting senders with the run id when the process stops', async () => {
    const other = await startSwitchboard({ providers: [ProbeTools] });
    ProbeTools.hold('stopped');
    const organization = await createOrganization(other);
    const { id } = await createWorkflow(organization, [held('stopped')], {
      trigger: { type: 'webhook', wait_seconds: 30 },
    });
    const answering = postWebhook(other, id, {});
    await waitFor(() => ProbeTools.count('stopped') > 0);
    const closing = other.close();
    const answer = await answering;
    ProbeTools.open('stopped');
    await closing;
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ ok: true, runId: answer.body.runId });
  });
});
