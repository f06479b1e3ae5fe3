import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { createWorkflow, postWebhook, runUntil } from './support/workflow-client.js';

/** Is more than the number of slots, so that slots that are not given back would be missed. */
const MANY = 12;

describe('a process that receives webhooks and executes runs', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { WORKER_CONCURRENCY: '4' } });
    acme = await createOrganization(switchboard);
    // Nothing can be claimed any more.
    await switchboard.ownerQuery(
      `create or replace function gate.claim_runs(
         batch_size integer, only_id text, lease_seconds integer, share jsonb default '{}')
       returns table (id text, organization_id text, epoch integer, limited boolean)
       language sql security definer set search_path = pg_catalog, pg_temp
       as $$ select null::text, null::text, 0, false where false $$`,
    );
  });
  afterAll(() => switchboard.close());

  it('executes the run of a webhook without a claim', async () => {
    const { id } = await createWorkflow(acme, []);
    for (let index = 0; index < MANY; index += 1) {
      const { status, body } = await postWebhook(switchboard, id, { index });
      expect(status).toBe(202);
      await runUntil(acme, body.runId, 'succeeded');
    }
    const rows = await switchboard.ownerQuery<{ epoch: number; in_order: boolean }>(
      `select epoch, created_at <= started_at and started_at <= finished_at as in_order
       from workflow_runs where workflow_id = $1`,
      [id],
    );
    expect(rows).toEqual(Array.from({ length: MANY }, () => ({ epoch: 1, in_order: true })));
  });

  it('executes other runs after webhooks that started none', async () => {
    const { id } = await createWorkflow(acme, []);
    const key = { 'Idempotency-Key': 'order-1' };
    const first = await postWebhook(switchboard, id, {}, key);
    for (let index = 0; index < MANY; index += 1) {
      const { body } = await postWebhook(switchboard, id, {}, key);
      expect(body).toMatchObject({ runId: first.body.runId, duplicate: true });
    }
    const { body } = await postWebhook(switchboard, id, { other: true });
    await runUntil(acme, body.runId, 'succeeded');
  });

  it('executes other runs after a commit that failed', async () => {
    const { id } = await createWorkflow(acme, []);
    await postWebhook(switchboard, id, {});
    await switchboard.ownerQuery(
      `create function refuse_commit() returns trigger language plpgsql
       as $$ begin raise exception 'No commit.'; end $$`,
    );
    await switchboard.ownerQuery(
      `create constraint trigger refuse_commit after insert on workflow_runs
       deferrable initially deferred for each row execute function refuse_commit()`,
    );
    for (let index = 0; index < MANY; index += 1) {
      expect((await postWebhook(switchboard, id, { index })).status).toBe(500);
    }
    await switchboard.ownerQuery('drop function refuse_commit cascade');
    const { body } = await postWebhook(switchboard, id, { last: true });
    await runUntil(acme, body.runId, 'succeeded');
  });

  it('queues runs of workflows with limits, which a claim begins', async () => {
    const trigger = { type: 'webhook', limits: { concurrency: { runs: 1000 } } };
    const { id } = await createWorkflow(acme, [], { trigger });
    const { body } = await postWebhook(switchboard, id, {});
    await runUntil(acme, body.runId, 'queued');
  });
});
