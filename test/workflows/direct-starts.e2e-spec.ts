import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, postWebhook, runUntil } from './support/workflow-client.js';

/** A number above the number of slots, so that the test fails when slots are not released. */
const MANY = 12;

describe('a process that receives webhooks and executes runs', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { WORKER_CONCURRENCY: '4' } });
    acme = await createOrganization(switchboard);
    // No run can be claimed from now on.
    await switchboard.ownerQuery(
      `create or replace function gate.claim_runs(
         batch_size integer, only_id text, lease_seconds integer, share jsonb default '{}')
       returns table (id text, organization_id text, epoch integer, limited boolean)
       language sql security definer set search_path = pg_catalog, pg_temp
       as $$ select null::text, null::text, 0, false where false $$`,
    );
  });
  afterAll(() => switchboard.close());

  /**
   * Sends webhooks until the given number of their runs has succeeded. A run that is stored while the worker looks for
   * due runs is queued, and nothing claims it here.
   */
  const sendUntilDone = async (id: string, count: number): Promise<void> => {
    await waitFor(async () => {
      expect((await postWebhook(switchboard, id, {})).status).toBe(202);
      return (await succeeded(id)) >= count;
    });
  };
  const succeeded = async (id: string): Promise<number> => {
    const [row] = await switchboard.ownerQuery<{ count: number }>(
      `select count(*)::integer as count from workflow_runs where workflow_id = $1 and status = 'succeeded'`,
      [id],
    );
    return row!.count;
  };

  it('executes the runs of webhooks without a claim', async () => {
    const { id } = await createWorkflow(acme, []);
    await sendUntilDone(id, MANY);
    const rows = await switchboard.ownerQuery<{ wrong: number }>(
      `select count(*)::integer as wrong from workflow_runs where workflow_id = $1 and status = 'succeeded'
         and (epoch <> 1 or created_at > started_at or started_at > finished_at)`,
      [id],
    );
    expect(rows).toEqual([{ wrong: 0 }]);
  });

  it('still executes runs without a claim after many webhooks that started no run', async () => {
    const { id } = await createWorkflow(acme, []);
    const key = { 'Idempotency-Key': 'order-1' };
    const first = await postWebhook(switchboard, id, {}, key);
    for (let index = 0; index < MANY; index += 1) {
      const { body } = await postWebhook(switchboard, id, {}, key);
      expect(body).toMatchObject({ runId: first.body.runId, duplicate: true });
    }
    await sendUntilDone(id, 2);
  });

  it('still executes runs after many commits that failed', async () => {
    const { id } = await createWorkflow(acme, []);
    await sendUntilDone(id, 1);
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
    await sendUntilDone(id, 2);
  });

  it('does not start runs of workflows with limits directly, but queues them', async () => {
    const trigger = { type: 'webhook', limits: { concurrency: { runs: 1000 } } };
    const { id } = await createWorkflow(acme, [], { trigger });
    const { body } = await postWebhook(switchboard, id, {});
    await runUntil(acme, body.runId, 'queued');
  });
});
