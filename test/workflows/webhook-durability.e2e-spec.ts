import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { createWorkflow, postWebhook } from './support/workflow-client.js';

describe('a process that only takes webhooks', () => {
  let switchboard: Switchboard;

  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { ROLE: 'web', RATE_LIMIT_PER_MINUTE: '8' } });
  });
  afterAll(() => switchboard.close());

  it('has committed the run when it answers, limits each organization, and says when to come back', async () => {
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
});
