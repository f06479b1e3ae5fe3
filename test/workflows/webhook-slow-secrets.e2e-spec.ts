import { hash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { WebhookLookUpsService } from '../../src/workflows/webhooks/webhook-look-ups.service.js';
import { WebhookStartsService } from '../../src/workflows/webhooks/webhook-starts.service.js';
import { sendSlowly } from '../http/slow-request.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { createWorkflow, postWebhook, sign } from './support/workflow-client.js';

const BODY = '{"a":1}';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const create = async (trigger: object) => {
  const { id, secret } = await createWorkflow(acme, [], {
    trigger: { type: 'webhook', ...trigger },
  });
  return { id, secret };
};
/** Replaces the trigger, and returns the new secret. The previous secret is no longer valid. */
const replaceSecret = async (id: string, trigger: object = {}): Promise<string> => {
  const { status, value } = await acme.call<{ secret: string }>('update_workflow', {
    workflow_id: id,
    trigger: { type: 'webhook', secret: true, overlap_seconds: 0, ...trigger },
  });
  expect(status).toBe(200);
  return value.secret;
};
const deliverSlowly = async (
  id: string,
  secret: string | null,
  between: () => Promise<unknown>,
  path = '',
): Promise<number> => {
  const headers: Record<string, string> =
    secret === null ? {} : { 'x-webhook-signature': sign(BODY, secret) };
  const url = `${switchboard.url}/api/webhooks/workflow/${id}${path}`;
  return (await sendSlowly({ url, headers, body: BODY }, between)).status;
};
const runs = async (id: string): Promise<number> => {
  const [row] = await switchboard.ownerQuery<{ count: number }>(
    'select count(*)::integer as count from workflow_runs where workflow_id = $1',
    [id],
  );
  return row!.count;
};

describe('a webhook delivery whose body arrives after the secret has changed', () => {
  it.each<[string, object]>([
    ['a plain trigger', {}],
    ['a trigger with a condition', { if: 'trigger.payload.a == 1' }],
    ['a trigger with dedupe_seconds', { dedupe_seconds: 60 }],
  ])('is refused for %s when it has the signature of the previous secret', async (_, trigger) => {
    const { id, secret } = await create({ secret: true, ...trigger });
    expect(await deliverSlowly(id, secret, () => replaceSecret(id, trigger))).toBe(401);
    expect(await runs(id)).toBe(0);
  });

  it('is refused when the webhook is in the cache', async () => {
    const { id, secret } = await create({ secret: true });
    const headers = { 'x-webhook-signature': sign(BODY, secret!) };
    expect((await postWebhook(switchboard, id, BODY, headers)).status).toBe(202);
    expect(await deliverSlowly(id, secret, () => replaceSecret(id))).toBe(401);
    expect(await runs(id)).toBe(1);
  });

  it('is refused when it has no signature, because the webhook had no secret at first', async () => {
    const { id } = await create({});
    expect(await deliverSlowly(id, null, () => replaceSecret(id))).toBe(401);
    expect(await runs(id)).toBe(0);
  });

  it('is refused when it has a previous secret whose overlap is ended before the body has arrived', async () => {
    const { id, secret } = await create({ secret: true });
    await replaceSecret(id, { overlap_seconds: 60 });
    const status = await deliverSlowly(id, secret, () =>
      replaceSecret(id, { secret: undefined, overlap_seconds: 0 }),
    );
    expect(status).toBe(401);
    expect(await runs(id)).toBe(0);
  });

  it('is refused as a test delivery', async () => {
    const { id, secret } = await create({ secret: true });
    expect(await deliverSlowly(id, secret, () => replaceSecret(id), '/test')).toBe(401);
  });

  it('starts a run when the body is signed with the new secret', async () => {
    const { id } = await create({ secret: true });
    const next = await replaceSecret(id);
    expect(await deliverSlowly(id, next, () => Promise.resolve())).toBe(202);
    expect(await runs(id)).toBe(1);
  });

  it('is not found when the workflow is deactivated meanwhile', async () => {
    const { id, secret } = await create({ secret: true });
    const deactivate = () => acme.call('deactivate_workflow', { workflow_id: id });
    expect(await deliverSlowly(id, secret, deactivate)).toBe(404);
    expect(await runs(id)).toBe(0);
  });
});

describe(WebhookStartsService.name, () => {
  it.each<[string, object]>([
    ['a plain trigger', {}],
    ['a trigger with a condition', { if: 'trigger.payload.a == 1' }],
    ['a trigger with dedupe_seconds', { dedupe_seconds: 60 }],
  ])('starts no run of %s whose secret was replaced after the check', async (_, trigger) => {
    const { id } = await create({ secret: true, ...trigger });
    const checked = await switchboard.app.get(WebhookLookUpsService).find(id);
    await replaceSecret(id, trigger);
    const started = await switchboard.app.get(WebhookStartsService).start(checked, {
      payload: JSON.parse(BODY) as object,
      payloadBytes: Buffer.from(BODY),
      bodyHash: hash('sha256', BODY, 'buffer'),
      dedupeKey: null,
    });
    expect(started).toBe('changed');
    expect(await runs(id)).toBe(0);
  });
});
