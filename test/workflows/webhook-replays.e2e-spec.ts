import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { HeldTransactions } from './support/held-transactions.js';
import { createWorkflow, postWebhook, sign, signStandard } from './support/workflow-client.js';

const BODY = '{"order": 1}';

describe('a replayed delivery', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await startSwitchboard();
    acme = await createOrganization(switchboard);
  });
  afterAll(() => switchboard.close());

  const create = async (trigger: object = {}, more: object = {}) => {
    const { id, secret } = await createWorkflow(acme, [], {
      trigger: { type: 'webhook', secret: true, ...trigger },
      ...more,
    });
    return { id, secret: secret! };
  };
  const deliver = (
    { id, secret }: { id: string; secret: string },
    body = BODY,
    headers: Record<string, string> = {},
  ) =>
    postWebhook(switchboard, id, body, { 'x-webhook-signature': sign(body, secret), ...headers });
  const runsOf = async (id: string) =>
    await switchboard.ownerQuery<{ id: string }>(
      'select id from workflow_runs where workflow_id = $1',
      [id],
    );
  const age = async (id: string, seconds: number) =>
    await switchboard.ownerQuery(
      `update workflow_runs set created_at = created_at - make_interval(secs => $2) where workflow_id = $1`,
      [id, seconds],
    );

  it('starts a second run when it has a hexadecimal signature and the trigger has no dedupe_seconds', async () => {
    const webhook = await create();
    await deliver(webhook);
    expect((await deliver(webhook)).status).toBe(202);
    expect(await runsOf(webhook.id)).toHaveLength(2);
  });

  it('starts no run within dedupe_seconds, and gets the id of the first run', async () => {
    const webhook = await create({ dedupe_seconds: 60 });
    const first = await deliver(webhook);
    const again = await deliver(webhook);
    expect(first).toMatchObject({ status: 202, body: { ok: true } });
    expect(again).toMatchObject({
      status: 200,
      body: { ok: true, runId: first.body.runId, duplicate: true },
    });
    expect((await deliver(webhook, '{"order": 2}')).status).toBe(202);
    await age(webhook.id, 59);
    expect((await deliver(webhook)).status).toBe(200);
    await age(webhook.id, 2);
    const later = await deliver(webhook);
    expect(later.status).toBe(202);
    // The window begins again with each run.
    expect((await deliver(webhook)).body.runId).toBe(later.body.runId);
    expect(await runsOf(webhook.id)).toHaveLength(3);
  });

  itSlow('starts one run for simultaneous replays in two processes', async () => {
    const webhook = await create({ dedupe_seconds: 60 });
    const sibling = await startSwitchboard({ databaseUrl: switchboard.databaseUrl });
    const send = (process: Switchboard) =>
      postWebhook(process, webhook.id, BODY, { 'x-webhook-signature': sign(BODY, webhook.secret) });
    const held = await HeldTransactions.in(switchboard.databaseUrl);
    await held.hold('insert', 'workflow_runs');
    const both = Promise.all([send(switchboard), send(sibling)]);
    // The first delivery is stopped after its insert. The second delivery waits for the first.
    await held.blocked(2);
    await held.release();
    await held.close();
    const answers = await both;
    await sibling.close();
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 202]);
    expect(new Set(answers.map(({ body }) => body.runId)).size).toBe(1);
    expect(await runsOf(webhook.id)).toHaveLength(1);
  });

  it('is compared by its body also with another key, because the signature does not cover the key', async () => {
    const webhook = await create({ dedupe_seconds: 60 });
    const first = await deliver(webhook);
    for (const name of ['idempotency-key', 'webhook-id']) {
      const again = await deliver(webhook, BODY, { [name]: 'other' });
      expect(again).toMatchObject({ status: 200, body: { runId: first.body.runId } });
    }
    const other = await deliver(webhook, '{"order": 2}', { 'idempotency-key': 'other' });
    expect(other.status).toBe(202);
  });

  it('is compared by its key when the signature covers the key or the webhook has no secret', async () => {
    const webhook = await create({ dedupe_seconds: 60 });
    await deliver(webhook);
    const standard = () =>
      postWebhook(switchboard, webhook.id, BODY, signStandard(BODY, webhook.secret));
    expect((await standard()).status).toBe(202);
    expect((await standard()).status).toBe(202);
    expect((await deliver(webhook)).status).toBe(200);
    const { id } = await createWorkflow(acme, [], {
      trigger: { type: 'webhook', dedupe_seconds: 60 },
    });
    for (const key of ['one', 'two']) {
      expect((await postWebhook(switchboard, id, BODY, { 'idempotency-key': key })).status).toBe(
        202,
      );
    }
  });

  it('is recognized also with a condition, with limits and after a change of the secret', async () => {
    const webhook = await create({
      dedupe_seconds: 60,
      if: 'trigger.payload.order == 1',
      limits: { concurrency: { runs: 1 } },
    });
    expect((await deliver(webhook)).status).toBe(202);
    expect((await deliver(webhook)).status).toBe(200);
    const { value } = await acme.call<{ secret: string; workflow: { trigger: object } }>(
      'update_workflow',
      { workflow_id: webhook.id, trigger: { type: 'webhook', secret: true, overlap_seconds: 60 } },
    );
    expect(value.workflow.trigger).toMatchObject({ dedupe_seconds: 60 });
    expect((await deliver({ ...webhook, secret: value.secret })).status).toBe(200);
    await acme.call('update_workflow', {
      workflow_id: webhook.id,
      trigger: { type: 'webhook', dedupe_seconds: null },
    });
    expect((await deliver({ ...webhook, secret: value.secret })).status).toBe(202);
  });

  it.each([0, -1, 1.5, '60', 604_801, true])('refuses the window %j', async (seconds) => {
    const { status, error } = await acme.call('create_workflow', {
      name: 'Test',
      trigger: { type: 'webhook', dedupe_seconds: seconds },
      steps: [],
    });
    expect(status).toBe(422);
    expect(error!.details![0]!.path).toBe('trigger.dedupe_seconds');
  });
});
