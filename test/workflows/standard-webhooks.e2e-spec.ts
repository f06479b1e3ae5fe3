import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { createWorkflow, postWebhook, sign, signStandard } from './support/workflow-client.js';

describe('a webhook signed as in Standard Webhooks', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;
  let id: string;
  let secret: string;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
    const workflow = await createWorkflow(acme, [], { trigger: { type: 'webhook', secret: true } });
    ({ id } = workflow);
    secret = workflow.secret!;
  });

  const body = '{"a": 1,  "b":"ü"}';
  const post = (headers: Record<string, string>, raw: string = body) =>
    postWebhook(switchboard, id, raw, headers);
  const countRuns = async () => {
    const [row] = await switchboard.ownerQuery<{ n: number }>(
      'select count(*)::int as n from workflow_runs where workflow_id = $1',
      [id],
    );
    return row!.n;
  };

  it('is accepted like a webhook with x-webhook-signature, and its webhook-id starts only one run', async () => {
    const headers = signStandard(body, secret, { id: 'msg_1' });
    const first = await post(headers);
    expect(first.status).toBe(202);
    expect(await post(headers)).toMatchObject({
      status: 200,
      body: { ok: true, runId: first.body.runId, duplicate: true },
    });
    expect((await post({ 'x-webhook-signature': sign(body, secret) })).status).toBe(202);
  });

  it('starts no second run when the webhook is replayed with another Idempotency-Key', async () => {
    const headers = signStandard(body, secret, { id: 'msg_2' });
    const first = await post({ ...headers, 'idempotency-key': 'one' });
    const again = await post({ ...headers, 'idempotency-key': 'two' });
    expect(again.body).toEqual({ ok: true, runId: first.body.runId, duplicate: true });
  });

  it('is accepted with a secret chosen by the owner, in plain text or base64', async () => {
    const given = [
      `whsec_${randomBytes(24).toString('base64')}`,
      `whsec_${randomBytes(64).toString('base64')}`,
      'a secret of sixteen',
    ];
    for (const own of given) {
      const workflow = await createWorkflow(acme, [], {
        trigger: { type: 'webhook', secret: own },
      });
      const answer = await postWebhook(switchboard, workflow.id, body, signStandard(body, own));
      expect(answer.status).toBe(202);
    }
  });

  it('gets the same answer for every mistake, and starts no run', async () => {
    const before = await countRuns();
    const now = Math.floor(Date.now() / 1000);
    const good = signStandard(body, secret);
    const other = await createWorkflow(acme, [], { trigger: { type: 'webhook', secret: true } });
    const wrong: Record<string, string>[] = [
      {},
      signStandard(body, secret, { timestamp: now - 320 }),
      signStandard(body, secret, { timestamp: now + 320 }),
      signStandard(body, other.secret!),
      signStandard(`${body}\n`, secret),
      { ...good, 'webhook-id': 'msg_other' },
      { ...good, 'webhook-timestamp': String(now - 1) },
      { ...good, 'webhook-signature': good['webhook-signature'].slice(3) },
      { ...good, 'x-webhook-signature': good['webhook-signature'] },
    ];
    const answers = await Promise.all(wrong.map((headers) => post(headers)));
    for (const answer of answers) {
      expect(answer.status).toBe(401);
      expect(answer.body).toEqual(answers[0]!.body);
      expect(answer.body).toMatchObject({ ok: false, error: { code: 'invalid_signature' } });
    }
    expect(await countRuns()).toBe(before);
    for (const offset of [-280, 280]) {
      const headers = signStandard(body, secret, { timestamp: now + offset });
      expect((await post(headers)).status).toBe(202);
    }
  });
});
