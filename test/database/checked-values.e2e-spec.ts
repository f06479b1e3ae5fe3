import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate, MIGRATION_NAMES } from '../../src/database/setup/prepare-database.js';
import { createDatabaseOwner, type DatabaseOwner } from '../support/database-owner.js';

describe('the migrations that limit the values that SQL of a tool can store', () => {
  let owner: DatabaseOwner;
  beforeAll(async () => {
    owner = await createDatabaseOwner();
  });
  afterAll(() => owner.drop());

  it('repair rows that SQL of a tool stored before the migrations, and change no other rows', async () => {
    const url = await owner.createDatabase();
    const index = MIGRATION_NAMES.indexOf('RowsOfHostileSql1764000074000');
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

  it('give new ids to rows when rows of several organizations have the same id, and delete rows above a limit', async () => {
    const url = await owner.createDatabase();
    const index = MIGRATION_NAMES.indexOf('RowsOfHostileSql1764000074000');
    await migrate(url, MIGRATION_NAMES.slice(0, index));
    const ask = (query: string) => owner.ask(url, query);
    await ask(`insert into organizations (id, name, created_at)
      values ('org_a', 'Acme', '2026-01-02'), ('org_b', 'Hostile', '2026-01-03')`);
    // The rows of the second organization have earlier times, as if they were older.
    const both = (table: string, columns: string, values: string): Promise<unknown> =>
      ask(`insert into ${table} (organization_id, ${columns})
        select o.id, ${values} from organizations o,
          lateral (select case o.id when 'org_a' then '2026-01-02'::timestamptz else '2025-01-01' end as at) own`);
    await both(
      'workflows',
      'id, name, active, version, trigger_type, created_at',
      `'wf_a', '', true, 1, 'manual', at`,
    );
    await both('workflow_versions', 'workflow_id, version, steps', `'wf_a', 1, '[]'`);
    await both(
      'workflow_runs',
      'id, workflow_id, workflow_version, trigger_type, payload, dedupe_key, created_at',
      `'run_a', 'wf_a', 1, 'manual', '', 'x', at`,
    );
    await both(
      'run_steps',
      'run_id, step_id, position, status, attempts, started_at',
      `'run_a', 'a', 0, 'succeeded', 1, at`,
    );
    await both(
      'pending_events',
      'id, name, payload, happened_at, xid',
      `'evt_a', '', '{}', at, '5'`,
    );
    await both('tool_policies', 'tool, updated_at', `'tool_a', at`);
    await ask(`insert into tool_policies (organization_id, tool, updated_at)
      select 'org_b', 'tool_' || g, '2026-01-04' from generate_series(1, 600) g`);
    await both(
      'offered_workflows',
      'workflow_id, name, title, description, input_schema, wait_seconds, revision',
      `'wf_a', 'x', 'x', 'x', '{}', 0, case o.id when 'org_a' then 'x' else repeat('x', 65) end`,
    );
    await migrate(url);
    const rows = (await ask(
      `select w.organization_id as organization, w.id as workflow, w.active, r.id as run, e.id as event,
         v.version, s.status, r.dedupe_key as dedupe,
         (select count(*)::int from tool_policies p where p.organization_id = w.organization_id) as policies,
         (select count(*)::int from offered_workflows f where f.organization_id = w.organization_id) as offers
       from workflows w join pending_events e using (organization_id)
       join workflow_runs r on r.organization_id = w.organization_id and r.workflow_id = w.id
       join workflow_versions v on v.organization_id = w.organization_id and v.workflow_id = w.id
       join run_steps s on s.organization_id = w.organization_id and s.run_id = r.id
       order by 1`,
    )) as Record<string, unknown>[];
    const same = { version: 1, status: 'succeeded', dedupe: 'x' };
    const kept = { workflow: 'wf_a', run: 'run_a', event: 'evt_a', active: false };
    const id = expect.stringMatching(/^[0-9a-f]{22}$/);
    const renamed = { workflow: id, run: id, event: id, active: false };
    expect(rows).toEqual([
      { organization: 'org_a', ...same, ...kept, policies: 1, offers: 1 },
      { organization: 'org_b', ...same, ...renamed, policies: 500, offers: 0 },
    ]);
    const actions = await ask(
      `select conname from pg_constraint where contype = 'f' and confupdtype <> 'a'`,
    );
    expect(actions).toEqual([]);
  });

  it('replace JSON of earlier rows that no worker could read', async () => {
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

  it('deactivate workflows with large limits', async () => {
    const url = await owner.createDatabase();
    const index = MIGRATION_NAMES.indexOf('SmallLimits1764000113000');
    await migrate(url, MIGRATION_NAMES.slice(0, index));
    const ask = (query: string) => owner.ask(url, query);
    await ask(`insert into organizations (id, name) values ('org_a', 'Acme')`);
    await ask(`insert into workflows (organization_id, id, name, active, version, trigger_type, trigger_options)
      select 'org_a', 'wf_' || length, '', true, 1, 'manual', json_build_object('limits',
        json_build_object('concurrency', json_build_object('runs', 1, 'key', repeat('x', length))))
      from unnest(array[1024, 20000]) length`);
    await ask(`insert into workflow_schedules (organization_id, workflow_id, next_tick_at, available_at)
      select organization_id, id, now(), now() from workflows`);
    await migrate(url);
    expect(
      await ask(
        `select id, active, trigger_options::text = '{}' as cleared from workflows order by id`,
      ),
    ).toEqual([
      { id: 'wf_1024', active: true, cleared: false },
      { id: 'wf_20000', active: false, cleared: true },
    ]);
    expect(await ask('select workflow_id from workflow_schedules')).toEqual([
      { workflow_id: 'wf_1024' },
    ]);
  });

  it('repair or delete rows with longer texts than later versions store, with all rows that refer to them', async () => {
    const url = await owner.createDatabase();
    const index = MIGRATION_NAMES.indexOf('MessageIds1764000080100');
    await migrate(url, MIGRATION_NAMES.slice(0, index));
    const ask = (query: string) => owner.ask(url, query);
    const long = (bytes: number): string => `repeat('x', ${bytes})`;
    await ask(`insert into organizations (id, name) values ('org_a', 'Acme')`);
    await ask(`insert into contacts (organization_id, id, external_id, search_text, consent) values
      ('org_a', 'con_a', 'a', '', '{}'), ('org_a', 'con_b', 'b', '', jsonb_build_object(${long(2000)}, 'opted_in'))`);
    await ask(
      `insert into topics (organization_id, name, title, opted_in) values ('org_a', 'news', 'News', true)`,
    );
    await ask(`insert into topic_subscriptions (organization_id, contact_id, topic, state, source) values
      ('org_a', 'con_a', 'news', 'subscribed', ${long(2000)}), ('org_a', 'con_a', ${long(2000)}, 'subscribed', 'tool')`);
    await ask(`insert into workflows (organization_id, id, name, active, version, trigger_type) values
      ('org_a', 'wf_a', 'Short', true, 1, 'manual'), ('org_a', 'wf_b', ${long(70_000)}, true, 1, 'manual')`);
    await ask(`insert into workflow_versions (organization_id, workflow_id, version, steps) values
      ('org_a', 'wf_a', 1, '[]'), ('org_a', 'wf_b', 1, '[]')`);
    await ask(`insert into workflow_runs
        (organization_id, id, workflow_id, workflow_version, trigger_type, payload, reason) values
      ('org_a', 'run_a', 'wf_a', 1, 'manual', '{}', null),
      ('org_a', 'run_b', 'wf_b', 1, 'manual', '{}', null),
      ('org_a', 'run_c', 'wf_a', 1, 'manual', '{}', ${long(70_000)}),
      ('org_a', 'run_d', 'wf_a', 1, 'manual', convert_to(${long(5_000_000)}, 'UTF8'), null)`);
    await ask(`insert into run_steps (organization_id, run_id, step_id, position, status, attempts, started_at, tool) values
      ('org_a', 'run_a', 'a', 0, 'succeeded', 1, now(), 'noop'),
      ('org_a', 'run_a', 'b', 1, 'succeeded', 1, now(), ${long(20_000)}),
      ('org_a', 'run_c', 'a', 0, 'succeeded', 1, now(), 'noop')`);
    await ask(`insert into messages (organization_id, id, contact_id, channel, direction, body, status, run_id, status_reason)
      values ('org_a', 'msg_a', 'con_a', 'email', 'outbound', '', 'sent', 'run_c', null),
        ('org_a', '../msg', 'con_a', 'email', 'outbound', '', 'queued', null, null),
        ('org_a', 'msg_b', 'con_a', 'email', 'outbound', '', 'queued', null, ${long(1_100_000)})`);
    await migrate(url);
    expect(await ask('select id from workflows order by id')).toEqual([{ id: 'wf_a' }]);
    expect(
      await ask('select id, octet_length(payload) as bytes from workflow_runs order by id'),
    ).toEqual([
      { id: 'run_a', bytes: 2 },
      { id: 'run_d', bytes: 2 },
    ]);
    expect(await ask('select run_id, step_id from run_steps')).toEqual([
      { run_id: 'run_a', step_id: 'a' },
    ]);
    expect(await ask('select id from messages')).toEqual([{ id: 'msg_a' }]);
    expect(await ask('select topic, length(source) as source from topic_subscriptions')).toEqual([
      { topic: 'news', source: 256 },
    ]);
    expect(await ask('select id from contacts order by id')).toHaveLength(2);
    const [logged] = await ask('select max(octet_length(name)) as longest from consent_changes');
    expect(logged).toEqual({ longest: 256 });
  });

  it('clear long cron expressions, and remove content that no template can have', async () => {
    const url = await owner.createDatabase();
    const index = MIGRATION_NAMES.indexOf('BoundedTemplates1764000086000');
    await migrate(url, MIGRATION_NAMES.slice(0, index));
    const ask = (query: string) => owner.ask(url, query);
    await ask(`insert into organizations (id, name) values ('org_a', 'Acme')`);
    const right = '{"cron":"0 9 * * *","timezone":"UTC"}';
    await ask(`insert into workflows (organization_id, id, name, active, version, trigger_type, trigger_options) values
      ('org_a', 'wf_a', 'Right', true, 1, 'schedule', '${right}'),
      ('org_a', 'wf_b', 'Long', true, 1, 'schedule', json_build_object('cron', repeat('0,', 1000), 'timezone', 'UTC'))`);
    await ask(`insert into workflow_schedules (organization_id, workflow_id, next_tick_at, available_at)
      select organization_id, id, now(), now() from workflows`);
    const many = `json_build_object('variables', (select json_agg(g) from generate_series(1, 101) g))`;
    await ask(`insert into templates (organization_id, id, name, draft, version) values
      ('org_a', 'tpl_a', 'a', '{"variables":[]}', 3), ('org_a', 'tpl_b', 'b', ${many}, null),
      ('org_a', 'tpl_c', repeat('x', 100000), '{}', null)`);
    await ask(`insert into template_versions
        (organization_id, template_id, version, id, content, compiled, warnings, actor_kind, actor_id) values
      ('org_a', 'tpl_a', 1, 'a', '{}', '{"variables":[]}', '[]', 'user', 'x'),
      ('org_a', 'tpl_a', 2, 'b', '{}', '{"variables":{}}', '[]', 'user', 'x'),
      ('org_a', 'tpl_a', 3, 'c', '{}', ${many}, '[]', 'user', 'x')`);
    await ask(`insert into template_snippets (organization_id, id, name, content) values
      ('org_a', 'snp_a', 'a', 'Bye'), ('org_a', 'snp_b', 'b', repeat('x', 300000))`);
    await migrate(url);
    expect(
      await ask('select id, active, trigger_options::text as options from workflows order by id'),
    ).toEqual([
      { id: 'wf_a', active: true, options: right },
      { id: 'wf_b', active: false, options: '{}' },
    ]);
    expect(await ask('select workflow_id from workflow_schedules')).toEqual([
      { workflow_id: 'wf_a' },
    ]);
    expect(await ask('select id, draft::text as draft from templates order by id')).toEqual([
      { id: 'tpl_a', draft: '{"variables":[]}' },
      { id: 'tpl_b', draft: '{"variables":[],"variants":{}}' },
    ]);
    expect(await ask('select id from template_versions')).toEqual([{ id: 'a' }]);
    expect(await ask('select id from template_snippets')).toEqual([{ id: 'snp_a' }]);
  });

  it('delete steps whose path is longer than any path of a definition', async () => {
    const url = await owner.createDatabase();
    const index = MIGRATION_NAMES.indexOf('BoundedStepPaths1764000087000');
    await migrate(url, MIGRATION_NAMES.slice(0, index));
    const ask = (query: string) => owner.ask(url, query);
    await ask(`insert into organizations (id, name) values ('org_a', 'Acme')`);
    await ask(`insert into workflows (organization_id, id, name, active, version, trigger_type) values
      ('org_a', 'wf_a', 'Flow', true, 1, 'manual')`);
    await ask(`insert into workflow_versions (organization_id, workflow_id, version, steps)
      values ('org_a', 'wf_a', 1, '[]')`);
    await ask(`insert into workflow_runs (organization_id, id, workflow_id, workflow_version, trigger_type, payload)
      values ('org_a', 'run_a', 'wf_a', 1, 'manual', '{}')`);
    await ask(`insert into run_steps (organization_id, run_id, step_id, position, status, attempts, started_at)
      select 'org_a', 'run_a', repeat('x', n), n, 'succeeded', 1, now() from unnest(array[1, 1024, 1025]) n`);
    await migrate(url);
    expect(await ask('select position from run_steps order by position')).toEqual([
      { position: 1 },
      { position: 1024 },
    ]);
  });

  it('delete rejected rows and imports that are larger than a file can cause', async () => {
    const url = await owner.createDatabase();
    const index = MIGRATION_NAMES.indexOf('SmallRejectedRows1764000121000');
    await migrate(url, MIGRATION_NAMES.slice(0, index));
    const ask = (query: string) => owner.ask(url, query);
    await ask(`insert into organizations (id, name) values ('org_a', 'Acme')`);
    const names = (count: number) => `(select json_agg(n) from generate_series(1, ${count}) n)`;
    await ask(`insert into imports (organization_id, id, name, encoding, delimiter, columns) values
      ('org_a', 'imp_a', 'a', 'utf-8', ',', ${names(500)}), ('org_a', 'imp_b', 'b', 'utf-8', ',', ${names(501)}),
      ('org_a', 'imp_c', 'c', 'utf-8', ',', '{}')`);
    await ask(`insert into import_faults (organization_id, import_id, generation, row, cells, reasons)
      select 'org_a', i, 1, n, '[]', repeat('x', n) from unnest(array['imp_a', 'imp_b']) i, unnest(array[2, 2097153]) n`);
    await migrate(url);
    expect(await ask('select id from imports')).toEqual([{ id: 'imp_a' }]);
    expect(await ask('select import_id, row from import_faults')).toEqual([
      { import_id: 'imp_a', row: 2 },
    ]);
  });

  it('remove values of more than 1 GB, and delete the rows that are nothing without their values', async () => {
    const url = await owner.createDatabase();
    const index = MIGRATION_NAMES.indexOf('PrintableValues1764000106000');
    await migrate(url, MIGRATION_NAMES.slice(0, index));
    const ask = (query: string) => owner.ask(url, query);
    // Each number has 131,072 digits as text, and 16 bytes in jsonb.
    const numbers = (count: number): string =>
      `('[' || repeat('1e131071,', ${count - 1}) || '1]')::jsonb`;
    await ask(`insert into organizations (id, name) values ('org_a', 'Acme'), ('org_b', 'Beta')`);
    await ask(`insert into contacts (organization_id, id, external_id, search_text, properties) values
      ('org_a', 'con_a', 'a', '', '{"plan":"gold"}'), ('org_a', 'con_b', 'b', '', jsonb_build_object('a', ${numbers(70)}))`);
    await ask(
      `insert into topics (organization_id, name, title, opted_in) values ('org_a', 'news', 'News', true)`,
    );
    await ask(`insert into consent_changes (organization_id, contact_id, recorded_for, kind, name, source, evidence) values
      ('org_a', 'con_a', 'con_a', 'channel', 'sms', 'sms_stop', '{"text":"STOP"}'),
      ('org_a', 'con_a', 'con_a', 'channel', 'email', 'tool', ${numbers(8200)})`);
    await ask(`insert into topic_subscriptions (organization_id, contact_id, topic, state, source, evidence)
      values ('org_a', 'con_a', 'news', 'unsubscribed', 'tool', ${numbers(9)})`);
    await ask(`insert into contact_merges (organization_id, merged_id, into_id, survivor_id, undo, moved)
      values ('org_a', 'con_x', 'con_a', 'con_a', '{}', ${numbers(600)})`);
    await ask(`insert into sending_rules (organization_id, timezone, quiet_from, quiet_to, quiet_days, quiet_channels) values
      ('org_a', 'UTC', '21:00', '07:00', '{1}', '{sms}'), ('org_b', 'UTC', '21:00', '07:00', '{1}', array[repeat('x', 70000)])`);
    await ask(`insert into workflows (organization_id, id, name, active, version, trigger_type) values
      ('org_a', 'wf_a', 'Flow', true, 1, 'manual')`);
    await ask(`insert into workflow_versions (organization_id, workflow_id, version, steps, tool_schemas)
      values ('org_a', 'wf_a', 1, '[]', ${numbers(70)})`);
    await migrate(url);
    expect(await ask('select id, properties from contacts')).toEqual([
      { id: 'con_a', properties: { plan: 'gold' } },
    ]);
    const removed = { text: 'This evidence was removed, because it had more than 1 MiB.' };
    expect(await ask('select name, evidence from consent_changes order by id')).toEqual([
      { name: 'sms', evidence: { text: 'STOP' } },
      { name: 'email', evidence: removed },
      { name: 'news', evidence: removed },
    ]);
    expect(await ask('select state, evidence from topic_subscriptions')).toEqual([
      { state: 'unsubscribed', evidence: removed },
    ]);
    expect(await ask('select merged_id, undo, moved from contact_merges')).toEqual([
      { merged_id: 'con_x', undo: null, moved: null },
    ]);
    expect(await ask('select organization_id as id from sending_rules')).toEqual([{ id: 'org_a' }]);
    expect(await ask('select version, tool_schemas from workflow_versions')).toEqual([
      { version: 1, tool_schemas: null },
    ]);
  });
});
