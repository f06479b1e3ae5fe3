import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { createWorkflow, getRun, runToEnd } from '../workflows/support/workflow-client.js';

let switchboard: RunningSwitchboard;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
});

describe('the deletion of an organization', () => {
  it('deletes all its rows except the audit log, and no rows of other organizations', async () => {
    const [gone, other] = [await makeRun(), await makeRun()];
    await switchboard.ownerQuery('delete from organizations where id = $1', [gone.organization.id]);
    const tables = await switchboard.ownerQuery<{ name: string }>(
      `select c.relname as name from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`,
    );
    for (const { name } of tables.filter((table) => table.name !== 'audit_log')) {
      const rows = await switchboard.ownerQuery(
        `select from ${name} where organization_id = $1 limit 1`,
        [gone.organization.id],
      );
      expect([name, rows.length]).toEqual([name, 0]);
    }
    expect(tables.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['workflow_runs', 'run_steps', 'messages', 'audit_log', 'call_log']),
    );
    const run = await getRun(other.organization, other.runId);
    expect(run).toMatchObject({ status: 'succeeded', steps: [{ id: 'find' }] });
  });
});

async function makeRun() {
  const organization = await createOrganization(switchboard);
  const workflow = await createWorkflow(organization, [
    { id: 'find', tool: 'search_contacts', arguments: { query: 'ada' } },
  ]);
  const { id: runId } = await runToEnd(organization, workflow.id);
  return { organization, runId };
}
