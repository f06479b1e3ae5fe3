import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow } from './support/workflow-client.js';

interface Bulk {
  done: number;
  run_ids: string[];
  refused: { run_id: string; code: string; message: string }[];
  next_cursor: string | null;
}

describe('a bulk operation on runs', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    // Without a worker, runs keep the status that the tests give them.
    switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
    acme = await createOrganization(switchboard);
  });
  afterAll(() => switchboard.close());

  const STEPS = [{ id: 'find', tool: 'search_contacts', arguments: {} }];
  const bulk = (what: string, given: object) => acme.call<Bulk>(`bulk_${what}_runs`, given);

  /** Creates a workflow with `count` runs of one status. */
  async function runs(count: number, status: string, organization = acme): Promise<string> {
    const { id } = await createWorkflow(organization, STEPS);
    await switchboard.ownerQuery(
      `insert into workflow_runs (organization_id, id, workflow_id, workflow_version, trigger_type, payload, status,
         reason, created_at, finished_at)
       select $1, $2 || n, $2, 1, 'webhook', '{"n":1}', $3, case $3 when 'failed' then 'step_failed:find' end,
         date_trunc('milliseconds', now()) - n * interval '1 s', case when $3 in ('failed', 'canceled') then now() end
       from generate_series(1, $4::int) n`,
      [organization.id, id, status, count],
    );
    await switchboard.ownerQuery(
      `insert into run_steps (organization_id, run_id, step_id, position, tool, status, attempts, started_at)
       select organization_id, id, 'find', 1, 'search_contacts', 'failed', 1, now()
       from workflow_runs where workflow_id = $1 and status = 'failed'`,
      [id],
    );
    return id;
  }
  const states = async (workflowId: string): Promise<Record<string, number>> => {
    const rows = await switchboard.ownerQuery<{ status: string; n: number }>(
      `select status, count(*)::int as n from workflow_runs where workflow_id = $1 group by status`,
      [workflowId],
    );
    return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
  };

  itSlow(
    'refuses to retry a run with more than 100,000 stored steps, and retries the others',
    async () => {
      const workflow = await runs(4, 'failed');
      await switchboard.ownerQuery(
        `insert into run_steps (organization_id, run_id, step_id, position, tool, status, attempts, started_at)
       select $1, $2 || '2', 'step_' || n, n + 1, 'search_contacts', 'failed', 1, now() from generate_series(1, 100000) n
       union all
       select $1, $2 || run, 'step_' || n, n + 1, 'search_contacts', 'failed', 1, now()
       from unnest('{1,3}'::text[]) run, generate_series(1, 9999) n`,
        [acme.id, workflow],
      );
      const { value } = await bulk('retry', { workflow_id: workflow });
      expect(value.run_ids.sort()).toEqual([1, 3, 4].map((n) => `${workflow}${n}`));
      const message =
        'The run has more than 100000 stored steps, so it cannot be retried. Start another run of its workflow.';
      const refused = { run_id: `${workflow}2`, code: 'conflict', message };
      expect(value.refused).toEqual([refused]);
      const { error } = await acme.call('retry_run', { run_id: `${workflow}2` });
      expect(error).toMatchObject({ code: 'conflict', message });
      expect(await states(workflow)).toEqual({ queued: 3, failed: 1 });
      const left = await switchboard.ownerQuery(
        `select run_id, status, count(*)::int as count from run_steps where run_id = any ($1) group by 1, 2 order by 1`,
        [[1, 3, 4].map((n) => `${workflow}${n}`)],
      );
      expect(left).toMatchObject([1, 3, 4].map(() => ({ status: 'waiting', count: 1 })));
    },
  );

  it('cancels all matching runs, at most `limit` runs per call', async () => {
    const workflow = await runs(250, 'waiting');
    const other = await runs(3, 'queued');
    const first = (await bulk('cancel', { workflow_id: workflow, limit: 120 })).value;
    expect(first).toMatchObject({ done: 120, refused: [] });
    expect(first.run_ids).toHaveLength(120);
    expect(await states(workflow)).toEqual({ canceled: 120, waiting: 130 });
    const second = (
      await bulk('cancel', { workflow_id: workflow, limit: 1000, cursor: first.next_cursor })
    ).value;
    expect(second).toMatchObject({ done: 130, next_cursor: null });
    expect(await states(workflow)).toEqual({ canceled: 250 });
    expect(await states(other)).toEqual({ queued: 3 });
    const [row] = await switchboard.ownerQuery(
      `select reason, epoch, finished_at is not null as ended from workflow_runs where workflow_id = $1 limit 1`,
      [workflow],
    );
    expect(row).toEqual({ reason: 'requested', epoch: 1, ended: true });
    const audit = await switchboard.ownerQuery(
      `select distinct subject from audit_log where action = 'bulk_cancel_runs' and subject like $1`,
      [`${workflow}_%`],
    );
    expect(audit).toHaveLength(250);
  });

  it('refuses a run that a worker has locked. If it waited for this lock, it would keep other runs locked meanwhile', async () => {
    const workflow = await runs(3, 'running');
    const client = new Client({ connectionString: switchboard.databaseUrl });
    await client.connect();
    try {
      await client.query('begin');
      await client.query('select from workflow_runs where id = $1 for update', [`${workflow}2`]);
      const { value } = await bulk('cancel', { workflow_id: workflow });
      expect(value.done).toBe(2);
      expect(value.refused).toMatchObject([{ run_id: `${workflow}2`, code: 'conflict' }]);
    } finally {
      await client.end();
    }
    await waitFor(async () => (await bulk('cancel', { workflow_id: workflow })).value.done === 1);
  });

  it('retries failed runs, and gives the reason for each run that it refuses', async () => {
    const workflow = await runs(130, 'failed');
    await switchboard.ownerQuery(
      `update run_steps set status = 'succeeded' where run_id = any($1)`,
      [[`${workflow}3`, `${workflow}120`]],
    );
    await acme.call('update_workflow', {
      workflow_id: workflow,
      steps: [{ id: 'find', wait: { days: 1 } }],
    });
    const { value } = await bulk('retry', {
      workflow_id: workflow,
      version: 'latest',
      limit: 1000,
    });
    expect(value).toMatchObject({ done: 128, next_cursor: null });
    expect(value.refused.map((run) => run.run_id)).toEqual([`${workflow}3`, `${workflow}120`]);
    expect(value.refused[0]!.message).toContain('its finished step find was');
    expect(await states(workflow)).toEqual({ queued: 128, failed: 2 });
    const left = await switchboard.ownerQuery('select from run_steps where run_id like $1', [
      `${workflow}%`,
    ]);
    expect(left).toHaveLength(2);
  });

  it('retries canceled runs only when its argument status is canceled', async () => {
    const workflow = await runs(4, 'canceled');
    expect((await bulk('retry', { workflow_id: workflow })).value.done).toBe(0);
    expect((await bulk('retry', { workflow_id: workflow, status: 'canceled' })).value.done).toBe(4);
    expect(await states(workflow)).toEqual({ queued: 4 });
  });

  it('replays matching runs once for one idempotency_key', async () => {
    const workflow = await runs(150, 'failed');
    const given = { workflow_id: workflow, limit: 1000, idempotency_key: 'all of them' };
    const first = await bulk('replay', given);
    expect(first.value).toMatchObject({ done: 150, refused: [], next_cursor: null });
    expect(await bulk('replay', given)).toEqual(first);
    expect(await states(workflow)).toEqual({ failed: 150, queued: 150 });
    const replayed = await switchboard.ownerQuery(
      `select distinct replay_of from workflow_runs where workflow_id = $1 and replay_of is not null`,
      [workflow],
    );
    expect(replayed).toHaveLength(150);
    await acme.call('deactivate_workflow', { workflow_id: workflow });
    const { value } = await bulk('replay', { workflow_id: workflow, status: 'failed', limit: 2 });
    expect(value).toMatchObject({ done: 0, refused: [{ code: 'conflict' }, { code: 'conflict' }] });
  });

  itSlow('counts every started run against the rate limit', async () => {
    const slow = await startSwitchboard({
      env: { ROLE: 'web', RATE_LIMIT_PER_MINUTE: '60' },
      databaseUrl: switchboard.databaseUrl,
    });
    try {
      const workflow = await runs(100, 'failed');
      const call = async (given: object) => {
        const response = await fetch(`${slow.url}/api/tools/bulk_replay_runs`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Cookie: acme.cookie, Origin: slow.url },
          body: JSON.stringify({ workflow_id: workflow, status: 'failed', ...given }),
        });
        return {
          status: response.status,
          body: (await response.json()) as Bulk & { code: string },
        };
      };
      const { body } = await call({});
      expect(body.done).toBeGreaterThan(0);
      expect(body.done).toBeLessThan(90);
      expect(await states(workflow)).toEqual({ failed: 100, queued: body.done });
      expect(body.next_cursor).not.toBeNull();
      expect((await call({ cursor: body.next_cursor })).status).toBe(429);
    } finally {
      await slow.close();
    }
  });

  it('changes no run of another organization, and requires a filter', async () => {
    const globex = await createOrganization(switchboard);
    const workflow = await runs(2, 'waiting', globex);
    expect((await bulk('cancel', { workflow_id: workflow })).value.done).toBe(0);
    expect(await states(workflow)).toEqual({ waiting: 2 });
    for (const what of ['cancel', 'retry', 'replay']) {
      expect((await bulk(what, {})).error).toMatchObject({
        code: 'invalid_arguments',
        details: [{ path: 'status' }],
      });
    }
    expect((await bulk('cancel', { status: 'failed' })).error!.message).toContain(
      'queued, running, waiting',
    );
    expect((await bulk('retry', { status: 'waiting' })).error!.message).toContain(
      'failed, canceled',
    );
    expect((await bulk('cancel', { workflow_id: workflow, limit: 1001 })).error!.code).toBe(
      'invalid_arguments',
    );
  });
});
