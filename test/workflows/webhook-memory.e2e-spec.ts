import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { createWorkflow, postWebhook, sign } from './support/workflow-client.js';

const BODY = '{"a":1}';

let switchboard: Switchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await startSwitchboard();
  acme = await createOrganization(switchboard);
});
afterAll(() => switchboard.close());

const send = async (id: string, secret: string): Promise<number> =>
  (await postWebhook(switchboard, id, BODY, { 'x-webhook-signature': sign(BODY, secret) })).status;

const change = async (tool: string, given: object): Promise<{ secret: string }> => {
  const { status, value } = await acme.call<{ secret: string }>(tool, given);
  expect(status).toBe(200);
  return value;
};

/** Creates a webhook and sends two deliveries, so that the process caches it. */
const received = async () => {
  const { id, secret } = await createWorkflow(acme, [], {
    trigger: { type: 'webhook', secret: true },
  });
  expect([await send(id, secret!), await send(id, secret!)]).toEqual([202, 202]);
  return { id, secret: secret! };
};

describe('a cached webhook', () => {
  it('accepts the new secret and refuses the old secret', async () => {
    const { id, secret } = await received();
    const trigger = { type: 'webhook', secret: true, overlap_seconds: 0 };
    const changed = await change('update_workflow', { workflow_id: id, trigger });
    expect([await send(id, secret), await send(id, changed.secret)]).toEqual([401, 202]);
    expect([await send(id, secret), await send(id, changed.secret)]).toEqual([401, 202]);
  });

  it('answers 404 while its workflow is inactive, and accepts deliveries afterwards', async () => {
    const { id, secret } = await received();
    await change('deactivate_workflow', { workflow_id: id });
    expect([await send(id, secret), await send(id, secret)]).toEqual([404, 404]);
    await change('activate_workflow', { workflow_id: id });
    expect([await send(id, secret), await send(id, secret)]).toEqual([202, 202]);
  });

  it('answers 404 when its workflow is deleted', async () => {
    const { id, secret } = await received();
    await change('delete_workflow', { workflow_id: id });
    expect([await send(id, secret), await send(id, secret)]).toEqual([404, 404]);
  });

  it('starts no run when a new condition is false', async () => {
    const { id, secret } = await received();
    const trigger = { type: 'webhook', secret: true, if: 'trigger.payload.a == 2' };
    await change('update_workflow', { workflow_id: id, trigger });
    expect(await send(id, secret)).toBe(202);
    const rows = await switchboard.ownerQuery<{ count: string }>(
      'select count(*) from workflow_runs where workflow_id = $1',
      [id],
    );
    expect(rows[0]!.count).toBe('2');
  });

  it('starts runs of the newest version', async () => {
    const { id, secret } = await received();
    await change('update_workflow', { workflow_id: id, steps: [{ id: 'end', stop: 'succeeded' }] });
    expect(await send(id, secret)).toBe(202);
    const rows = await switchboard.ownerQuery<{ version: number }>(
      `select workflow_version as version from workflow_runs where workflow_id = $1
       order by created_at, workflow_version`,
      [id],
    );
    expect(rows.map(({ version }) => version)).toEqual([1, 1, 2]);
  });

  it('counts a delivery once against the rate limit, although the delivery is checked twice', async () => {
    const limited = await startSwitchboard({ env: { RATE_LIMIT_PER_MINUTE: '40' } });
    try {
      const globex = await createOrganization(limited);
      const { id } = await createWorkflow(globex, [], { trigger: { type: 'webhook' } });
      const key = { 'idempotency-key': 'one' };
      const answers = [];
      for (let count = 0; count < 30; count += 1) {
        answers.push((await postWebhook(limited, id, BODY, key)).status);
      }
      expect(answers).toEqual([202, ...Array.from({ length: 29 }, () => 200)]);
    } finally {
      await limited.close();
    }
  });
});
