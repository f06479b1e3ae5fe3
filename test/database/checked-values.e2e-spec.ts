import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate, MIGRATION_NAMES } from '../../src/database/setup/prepare-database.js';
import { createDatabaseOwner, type DatabaseOwner } from '../support/database-owner.js';

describe('a migration that adds checks of values', () => {
  let owner: DatabaseOwner;
  beforeAll(async () => {
    owner = await createDatabaseOwner();
  });
  afterAll(() => owner.drop());

  it('repairs rows that SQL of a tool stored before, and changes no other rows', async () => {
    const url = await owner.createDatabase();
    const index = MIGRATION_NAMES.indexOf('CheckedValues1764000076000');
    await migrate(url, MIGRATION_NAMES.slice(0, index));
    const insert = (table: string, columns: string, ...rows: string[]): Promise<unknown> =>
      owner.ask(
        url,
        `insert into ${table} (organization_id, ${columns}) values ${rows.map((row) => `('org_a', ${row})`).join()}`,
      );
    await owner.ask(url, `insert into organizations (id, name) values ('org_a', 'Acme')`);
    const right = `'{"if":"true","limits":{"rate":{"runs":1,"per_seconds":1}}}'`;
    await insert(
      'workflows',
      'id, name, active, version, trigger_type, trigger_options',
      `'wf_a', '', true, 1, 'manual', ${right}`,
      `'wf_b', '', true, 1, 'manual', '{"x":"\\u0000"}'`,
      `'wf_c', '', true, 1, 'manual', '{"limits":{"rate":{"runs":-1}}}'`,
    );
    await insert('workflow_versions', 'workflow_id, version, steps', `'wf_a', 1, '[]'`);
    await insert(
      'workflow_runs',
      'id, workflow_id, workflow_version, trigger_type, payload, delayed_by, delayed_until',
      `'run_a', 'wf_a', 1, 'manual', '', 'rate', '2026-01-01'`,
      `'run_b', 'wf_a', 1, 'manual', '', 'slot', '2026-01-01'`,
    );
    await insert(
      'pending_events',
      'id, name, payload, happened_at, xid',
      `'evt_a', '', '{}', now(), '5'`,
      `'evt_b', '', '{}', now(), 'x'`,
    );
    await insert(
      'run_waits',
      'run_id, step_id, event, state, armed_snapshot',
      `'run_a', 'a', '', 'armed', '5:5:'`,
      `'run_a', 'b', '', 'armed', 'x'`,
      `'run_a', 'c', '', 'armed', null`,
    );
    await migrate(url);
    const ask = (query: string) => owner.ask(url, query);
    expect(
      await ask(`select id, active, trigger_options::text as options from workflows order by id`),
    ).toEqual([
      { id: 'wf_a', active: true, options: right.slice(1, -1) },
      { id: 'wf_b', active: false, options: '{}' },
      { id: 'wf_c', active: false, options: '{}' },
    ]);
    expect(
      await ask('select delayed_until is null as cleared from workflow_runs order by id'),
    ).toEqual([{ cleared: false }, { cleared: true }]);
    expect(await ask('select xid from pending_events order by id')).toEqual([
      { xid: '5' },
      { xid: '1' },
    ]);
    const [first, second, third] = (await ask(
      'select armed_snapshot as snapshot from run_waits order by step_id',
    )) as { snapshot: string | null }[];
    expect(first!.snapshot).toBe('5:5:');
    expect(second!.snapshot).toMatch(/^\d+:\d+:/);
    expect(third!.snapshot).toBeNull();
  });

  it('replaces JSON of earlier rows that no worker could read', async () => {
    const url = await owner.createDatabase();
    const index = MIGRATION_NAMES.indexOf('BoundedValues1764000077000');
    await migrate(url, MIGRATION_NAMES.slice(0, index));
    const ask = (query: string) => owner.ask(url, query);
    await ask(`insert into organizations (id, name) values ('org_a', 'Acme')`);
    await ask(
      `insert into pending_events (organization_id, id, name, payload, happened_at, xid) values
         ('org_a', 'evt_a', '', ('"' || repeat('x', 4000000) || '"')::json, now(), '1'),
         ('org_a', 'evt_b', '', ('[' || repeat('{},', 9000000) || '{}]')::json, now(), '1')`,
    );
    await migrate(url);
    expect(
      await ask('select octet_length(payload::text) as bytes from pending_events order by id'),
    ).toEqual([{ bytes: 4000002 }, { bytes: 2 }]);
  });
});
