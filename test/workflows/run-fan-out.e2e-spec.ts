import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, trigger } from './support/workflow-client.js';

describe('runs that start other runs', () => {
  let switchboard: Switchboard;
  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { RATE_LIMIT_PER_MINUTE: '8' } });
  });
  afterAll(() => switchboard.close());

  it('count towards the rate limit of their organization, and wait when this limit is exceeded', async () => {
    const acme = await createOrganization(switchboard);
    const child = await createWorkflow(acme, []);
    const steps = Array.from({ length: 20 }, (_, index) => ({
      id: `start_${index}`,
      tool: 'trigger_workflow',
      arguments: { workflow_id: child.id },
    }));
    const parent = await createWorkflow(acme, steps);
    const runId = await trigger(acme, parent.id);
    // Reads the rows directly, because tool calls also count towards the rate limit.
    const run = await waitFor(async () => {
      const rows = await switchboard.ownerQuery(
        `select status, reason from workflow_runs where id = $1 and status = 'waiting'`,
        [runId],
      );
      return rows[0];
    });
    expect(run).toEqual({ status: 'waiting', reason: 'retry' });
    const children = await switchboard.ownerQuery(
      'select id from workflow_runs where workflow_id = $1',
      [child.id],
    );
    expect(children.length).toBeLessThan(8);
  });
});
