import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { createWorkflow } from '../workflows/support/workflow-client.js';
import { runSql, SqlTools } from './sql-tools.js';

const STEPS = [{ id: 'add', tool: 'create_contact', arguments: { external_id: '{{ run.id }}' } }];

let switchboard: Switchboard;
let organization: TestOrganization;

beforeAll(async () => {
  switchboard = await startSwitchboard({ env: { ROLE: 'web' }, providers: [SqlTools] });
  organization = await createOrganization(switchboard, 'Hostile');
  await createWorkflow(organization, STEPS);
});
afterAll(() => switchboard.close());

describe('SQL of a tool', () => {
  const policies = (first: number, last: number): string =>
    `insert into tool_policies (organization_id, tool)
     select organization_id, 'tool_' || g from workflows, generate_series(${first}, ${last}) g
     group by organization_id, g`;
  const offers = (number: number, values: object = {}): string => {
    const row = {
      name: 'x',
      title: 'x',
      description: 'x',
      input_schema: {},
      wait_seconds: 0,
      revision: 'x',
      updated_at: '2026-01-01',
      ...values,
    };
    return `insert into offered_workflows
      select (jsonb_populate_record(null::offered_workflows, '${JSON.stringify(row)}' ||
        jsonb_build_object('organization_id', organization_id, 'workflow_id', id, 'name', 'x' || row_number() over (order by id)))).*
      from workflows order by id limit ${number}`;
  };

  it('cannot store more than 500 policies, in one statement or several', async () => {
    const refused = { error: 'An organization has at most 500 rows in tool_policies.' };
    expect(await runSql(organization, policies(1, 501))).toEqual([refused]);
    expect(await runSql(organization, policies(1, 500))).toEqual([{ rows: expect.anything() }]);
    expect(await runSql(organization, policies(501, 501))).toEqual([refused]);
    expect((await runSql(organization, 'delete from tool_policies'))[0]).toHaveProperty('rows');
  });

  it('cannot store more than 20 offered workflows', async () => {
    const copies = `insert into workflows
      select (jsonb_populate_record(own, jsonb_build_object('id', left(own.id, 30) || g + 10))).*
      from workflows own, generate_series(1, 20) g`;
    const [copied, ...outcomes] = await runSql(organization, copies, offers(21));
    expect(copied).toHaveProperty('rows');
    expect(outcomes).toEqual([
      { error: 'An organization has at most 20 rows in offered_workflows.' },
    ]);
    expect((await runSql(organization, copies, offers(20)))[1]).toHaveProperty('rows');
    await runSql(organization, 'delete from offered_workflows');
  });

  it.each([
    ['a long revision', { revision: 'x'.repeat(65) }],
    ['a long title', { title: 'x'.repeat(101) }],
    ['a long description', { description: 'x'.repeat(1001) }],
    ['a large schema', { input_schema: { x: 'x'.repeat(16_384) } }],
    ['a large result', { result: { x: 'x'.repeat(16_384) } }],
  ])('cannot store an offered workflow with %s', async (_name, values) => {
    expect(await runSql(organization, offers(1, values))).toEqual([
      { error: expect.stringContaining('"offered_workflows_size_check"') },
    ]);
  });

  it('cannot replace the revision of an offered workflow by a text that is too long', async () => {
    const outcomes = await runSql(
      organization,
      offers(1),
      `update offered_workflows set revision = repeat('x', 65)`,
    );
    expect(outcomes).toEqual([
      { rows: expect.anything() },
      { error: expect.stringContaining('"offered_workflows_size_check"') },
    ]);
  });
});
