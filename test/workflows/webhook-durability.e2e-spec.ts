import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { WakeUps } from '../../src/queue/wake-ups.js';
import { describeOnEachDriver } from '../support/drivers.js';
import { createOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { describeSlow } from '../support/thorough.js';
import { createWorkflow, postWebhook, sign } from './support/workflow-client.js';

describeOnEachDriver('a web process', describeSlow, () => {
  let switchboard: Switchboard;

  beforeAll(async () => {
    switchboard = await startSwitchboard({
      env: { ROLE: 'web', RATE_LIMIT_PER_MINUTE: '8', TRUSTED_PROXIES: '127.0.0.1' },
    });
  });
  afterAll(() => switchboard.close());

  it('answers after the commit of the run, limits each organization, and returns Retry-After', async () => {
    const acme = await createOrganization(switchboard);
    const workflow = await createWorkflow(acme, []);
    const answers = [];
    for (let i = 0; i < 12; i += 1) answers.push(await postWebhook(switchboard, workflow.id, {}));
    const accepted = answers.filter((answer) => answer.status === 202);
    const limited = answers.find((answer) => answer.status === 429)!;
    expect(limited.body).toMatchObject({ ok: false, error: { code: 'rate_limited' } });
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    const rows = await switchboard.ownerQuery<{ id: string; status: string }>(
      'select id, status from workflow_runs where workflow_id = $1',
      [workflow.id],
    );
    expect(accepted.length).toBeGreaterThan(0);
    expect(rows.map((row) => row.id).sort()).toEqual(accepted.map(({ body }) => body.runId).sort());
    expect(new Set(rows.map((row) => row.status))).toEqual(new Set(['queued']));
  });

  it('neither answers ok nor wakes workers before the commit, and does both after it', async () => {
    const acme = await createOrganization(switchboard);
    const workflow = await createWorkflow(acme, []);
    const cached = await createWorkflow(acme, []);
    await postWebhook(switchboard, cached.id, {});
    const trigger = { type: 'webhook', limits: { concurrency: { runs: 1000 } } };
    // Another organization is needed, because the first organization may make only 8 calls.
    const limited = await createWorkflow(await createOrganization(switchboard), [], { trigger });
    const wake = vi.spyOn(switchboard.app.get(WakeUps), 'wake');
    // The statements succeed, and the commit fails.
    await switchboard.ownerQuery(
      `create function refuse_commit() returns trigger language plpgsql
       as $$ begin raise exception 'No commit.'; end $$`,
    );
    await switchboard.ownerQuery(
      `create constraint trigger refuse_commit after insert on workflow_runs
       deferrable initially deferred for each row execute function refuse_commit()`,
    );
    const refused = [
      await postWebhook(switchboard, workflow.id, {}),
      await postWebhook(switchboard, cached.id, {}),
      await postWebhook(switchboard, limited.id, {}),
    ];
    for (const answer of refused)
      expect(answer).toMatchObject({ status: 500, body: { ok: false } });
    expect(wake).not.toHaveBeenCalled();
    await switchboard.ownerQuery('drop function refuse_commit cascade');
    const accepted = await postWebhook(switchboard, workflow.id, {});
    expect(accepted.status).toBe(202);
    const acceptedToo = await postWebhook(switchboard, cached.id, {});
    const ids = [accepted, acceptedToo].map(({ body }) => ['run', body.runId]);
    expect(wake.mock.calls.map(([kind, id]) => [kind, id])).toEqual(ids);
  });

  it('does not count unsigned webhooks against the rate limit of the organization', async () => {
    const acme = await createOrganization(switchboard);
    const workflow = await createWorkflow(acme, [], { trigger: { type: 'webhook', secret: true } });
    const answers = [];
    for (let i = 0; i < 10; i += 1) answers.push(await postWebhook(switchboard, workflow.id, {}));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
    const { error } = await acme.call('get_workflow', { workflow_id: workflow.id });
    expect(error).toBeUndefined();
  });

  it('counts unsigned webhooks by network, so that a stranger cannot use up the limit of the sender', async () => {
    const acme = await createOrganization(switchboard);
    const trigger = { type: 'webhook', secret: true };
    const workflow = await createWorkflow(acme, [], { trigger });
    const from = (address: string, signed: object = {}) =>
      postWebhook(switchboard, workflow.id, '{}', { 'x-forwarded-for': address, ...signed });
    const strangers = [];
    for (let i = 0; i < 10; i += 1) strangers.push((await from('192.0.2.1')).status);
    expect(strangers.at(-1)).toBe(429);
    const signature = { 'x-webhook-signature': sign('{}', workflow.secret!) };
    expect((await from('198.51.100.7', signature)).status).toBe(202);
  });
});
