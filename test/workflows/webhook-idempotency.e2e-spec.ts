import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { createWorkflow, postWebhook, runUntil } from './support/workflow-client.js';

describe('a webhook with a key', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  const countRuns = async (workflowId: string) =>
    (await switchboard.ownerQuery('select from workflow_runs where workflow_id = $1', [workflowId]))
      .length;

  it.each(['Idempotency-Key', 'webhook-id'])('starts one run for one %s', async (name) => {
    const { id } = await createWorkflow(acme, []);
    const first = await postWebhook(switchboard, id, { a: 1 }, { [name]: 'key-1' });
    const again = await postWebhook(switchboard, id, { a: 1 }, { [name]: 'key-1' });
    expect(first.status).toBe(202);
    expect(again.status).toBe(200);
    expect(again.body).toEqual({ ok: true, runId: first.body.runId, duplicate: true });
    const other = await postWebhook(switchboard, id, { a: 1 }, { [name]: 'key-2' });
    expect(other.body.runId).not.toBe(first.body.runId);
    expect(await countRuns(id)).toBe(2);
  });

  it('starts one run for ten simultaneous deliveries', async () => {
    const { id } = await createWorkflow(acme, []);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        postWebhook(switchboard, id, { a: 1 }, { 'webhook-id': 'same' }),
      ),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([
      ...Array.from({ length: 9 }, () => 200),
      202,
    ]);
    expect(new Set(answers.map((answer) => answer.body.runId)).size).toBe(1);
    expect(await countRuns(id)).toBe(1);
  });

  it('refuses the key with another body', async () => {
    const { id } = await createWorkflow(acme, []);
    await postWebhook(switchboard, id, { a: 1 }, { 'Idempotency-Key': 'k' });
    const answer = await postWebhook(switchboard, id, { a: 2 }, { 'Idempotency-Key': 'k' });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ ok: false, error: { code: 'idempotency_mismatch' } });
  });

  it('starts one run per workflow for the same key', async () => {
    const [one, two] = [await createWorkflow(acme, []), await createWorkflow(acme, [])];
    const first = await postWebhook(switchboard, one.id, {}, { 'Idempotency-Key': 'k' });
    const second = await postWebhook(switchboard, two.id, { b: 1 }, { 'Idempotency-Key': 'k' });
    expect(second.status).toBe(202);
    expect(second.body.runId).not.toBe(first.body.runId);
  });

  it.each([
    ['too long', 'k'.repeat(256)],
    ['with a space', 'a b'],
    ['not ASCII', 'k\u00e9'],
  ])('refuses a key that is %s', async (_what, key) => {
    const { id } = await createWorkflow(acme, []);
    const answer = await postWebhook(switchboard, id, {}, { 'Idempotency-Key': key });
    expect(answer.status).toBe(400);
    expect(answer.body.ok).toBe(false);
  });

  describe('of a trigger whose condition its run makes false', () => {
    const createOnce = () =>
      createWorkflow(
        acme,
        [
          {
            id: 'person',
            tool: 'create_contact',
            arguments: { email: '{{ trigger.payload.email }}' },
          },
        ],
        { trigger: { type: 'webhook', if: 'contact == nil' } },
      );

    it('gets the id of the run for a repeated delivery', async () => {
      const { id } = await createOnce();
      const key = { 'Idempotency-Key': 'k' };
      const body = { email: 'repeated@example.com' };
      const first = await postWebhook(switchboard, id, body, key);
      await runUntil(acme, first.body.runId, 'succeeded');
      const again = await postWebhook(switchboard, id, body, key);
      expect([again.status, again.body]).toEqual([
        200,
        { ok: true, runId: first.body.runId, duplicate: true },
      ]);
      const other = await postWebhook(switchboard, id, body, { 'Idempotency-Key': 'other' });
      expect([other.status, other.body]).toEqual([202, { ok: true, skipped: true }]);
    });

    it('refuses another body', async () => {
      const { id } = await createOnce();
      const key = { 'Idempotency-Key': 'k' };
      const body = { email: 'refused@example.com' };
      const first = await postWebhook(switchboard, id, body, key);
      await runUntil(acme, first.body.runId, 'succeeded');
      const answer = await postWebhook(switchboard, id, { ...body, a: 1 }, key);
      expect(answer.status).toBe(422);
      expect(answer.body).toMatchObject({ ok: false, error: { code: 'idempotency_mismatch' } });
    });
  });
});
