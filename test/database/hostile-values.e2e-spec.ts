import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { uploadedImport } from '../support/uploaded-import.js';
import { createWorkflow, postWebhook, trigger } from '../workflows/support/workflow-client.js';
import { runSql, SqlTools } from './sql-tools.js';

const STEPS = [{ id: 'add', tool: 'create_contact', arguments: { external_id: '{{ run.id }}' } }];
const manual = (limits?: object) => ({ trigger: { type: 'manual', limits } });
const LARGE = `('[' || repeat('{},', 3000000) || '{}]')::json`;
const VARIABLES = `(select json_agg(json_build_object('name', 'a' || g)) from generate_series(1, 101) g)`;
const LONG = `(select string_agg(md5(g::text), '') from generate_series(1, 60) g)`;
/** Returns SQL of a `jsonb` with numbers of 131,072 digits. Each of them takes 16 bytes. */
const numbers = (count: number): string =>
  `('[' || repeat('1e131071,', ${count - 1}) || '1]')::jsonb`;
const DEBOUNCE = { debounce: { seconds: 60, key: '{{ trigger.payload.key }}' } };

interface Plan {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

let switchboard: Switchboard;
let hostile: TestOrganization;
let victim: TestOrganization;

// No worker changes the rows while a test looks at them.
beforeAll(async () => {
  switchboard = await startSwitchboard({ env: { ROLE: 'web' }, providers: [SqlTools] });
});
beforeEach(async () => {
  await switchboard.ownerQuery('delete from workflow_runs');
  hostile = await createOrganization(switchboard, 'Hostile');
  victim = await createOrganization(switchboard, 'Victim');
});
afterAll(() => switchboard.close());

/** Inserts queued runs of the only workflow of an organization. In `createdAt`, `g` is the number of the run. */
const insertRuns = async (
  organization: TestOrganization,
  runs: number,
  { set, createdAt = `now() + g * interval '1 ms'` }: { set: string; createdAt?: string },
): Promise<void> => {
  const outcomes = await runSql(
    organization,
    `insert into workflow_runs
       (organization_id, id, workflow_id, workflow_version, trigger_type, payload, status, limited, created_at)
     select w.organization_id, 'x' || left(w.id, 20) || g, w.id, w.version, 'manual', '\\x7b7d', 'queued', true, ${createdAt}
     from workflows w, generate_series(1, ${runs}) g`,
    `update workflow_runs set ${set}`,
  );
  expect(outcomes.filter((outcome) => 'error' in outcome)).toEqual([]);
};
const countRuns = async (organization: TestOrganization, condition: string): Promise<number> => {
  const [row] = await switchboard.ownerQuery<{ count: number }>(
    `select count(*)::int from workflow_runs where organization_id = $1 and ${condition}`,
    [organization.id],
  );
  return row!.count;
};
const wake = (batchSize: number) =>
  switchboard.ownerQuery('select * from gate.wake_runs($1)', [batchSize]);

describe('SQL of a tool', () => {
  const REFUSED = [
    {
      error: expect.stringMatching(
        /violates check|more than (?:1 MiB|10,000)|Unicode escape|invalid input syntax|length of a non-array/,
      ),
    },
  ];
  const setOptions = (options: string): string =>
    `update workflows set trigger_options = ${options}`;
  const limits = (text: string): string => setOptions(`'{"limits":${text}}'`);
  const waits = (snapshot: string): string =>
    `insert into run_waits (organization_id, run_id, step_id, event, state, armed_at, armed_xid, armed_snapshot)
     select organization_id, id, 'a', 'test', 'armed', now(), '1', '${snapshot}' from workflow_runs limit 1`;
  const event = (xid: string): string =>
    `insert into pending_events (organization_id, id, name, payload, xid, happened_at)
     select id, 'evt_' || id, 'test', '{}', '${xid}', now() from
       (select organization_id as id from workflows limit 1) own`;
  const step = (column: string): string =>
    `insert into run_steps (organization_id, run_id, step_id, position, status, attempts, started_at, ${column})
     select organization_id, id, 'x', 1, 'succeeded', 1, now(),`;
  const run = (columns: string, values: string): string =>
    `insert into workflow_runs (organization_id, id, workflow_id, workflow_version, trigger_type, ${columns})
     select organization_id, 'x' || left(id, 20), id, version, 'manual', ${values} from workflows`;
  const delay = (values: string): string =>
    `update workflow_runs set status = 'queued', limited = true, delayed_until = '-infinity', ${values}`;

  const template = (columns: string, values: string): string =>
    `insert into templates (organization_id, id, ${columns.includes('name') ? '' : 'name, '}${columns})
     select organization_id, 'tpl_x', ${columns.includes('name') ? '' : `'x', `}${values} from workflows`;
  const snippet = (values: string): string =>
    `insert into template_snippets (organization_id, id, name, content)
     select organization_id, 'snp_x', ${values} from workflows`;
  const version = (column: string, value: string): string => {
    const values = {
      content: `'{}'`,
      compiled: `'{"variables":[]}'`,
      warnings: `'[]'`,
      actor_id: `'x'`,
      [column]: value,
    };
    return `with made as (insert into templates (organization_id, id, name, draft)
        select organization_id, 'tpl_x', 'x', '{}' from workflows returning organization_id, id)
      insert into template_versions (organization_id, template_id, version, id, actor_kind, ${Object.keys(values).join(', ')})
      select organization_id, id, 1, 'x', 'user', ${Object.values(values).join(', ')} from made`;
  };

  const contact = (columns: string, values: string): string =>
    `insert into contacts (organization_id, id, external_id, search_text, ${columns})
     select organization_id, 'con_x', 'x', 'x', ${values} from workflows`;
  const quiet = (days: string, channels: string): string =>
    `insert into sending_rules (organization_id, timezone, quiet_from, quiet_to, quiet_days, quiet_channels)
     select organization_id, 'UTC', '21:00', '07:00', ${days}, ${channels} from workflows`;
  const evidence = (value: string): string =>
    `with own as materialized (
       select organization_id, set_config('switchboard.consent_evidence', ${value}, true) from workflows)
     insert into contacts (organization_id, id, external_id, search_text, consent)
     select organization_id, 'con_x', 'x', 'x', '{"sms":{"status":"granted"}}' from own`;

  it.each([
    ['options of a trigger with U+0000', setOptions(`'{"x":"\\u0000"}'`)],
    ['options of a trigger with a lone surrogate', setOptions(`'{"if":"\\ud800"}'`)],
    [
      'deeply nested options of a trigger',
      setOptions(`(repeat('[', 2500) || repeat(']', 2500))::json`),
    ],
    ['long options of a trigger', setOptions(`('"' || repeat('x', 1000000) || '"')::json`)],
    [
      'a long cron expression',
      setOptions(`json_build_object('cron', '*' || repeat(',*', 260) || ' * * * *')`),
    ],
    ['a long time zone', setOptions(`json_build_object('timezone', repeat('x', 300))`)],
    [
      'long options of a webhook',
      `update workflows set webhook_options = to_jsonb(repeat('x', 1000000))`,
    ],
    ['a rate that is no number', limits('{"rate":{"runs":"x","per_seconds":1}}')],
    ['a negative rate', limits('{"rate":{"runs":-1,"per_seconds":1}}')],
    ['a rate above the maximum', limits('{"rate":{"runs":1001,"per_seconds":1}}')],
    ['the period of a rate above the maximum', limits('{"rate":{"runs":1,"per_seconds":86401}}')],
    ['a concurrency above the maximum', limits('{"concurrency":{"runs":2147483647}}')],
    ['a concurrency that is a fraction', limits('{"concurrency":{"runs":1.5}}')],
    ['a concurrency per key that is no number', limits('{"concurrency":{"runs_per_key":{"a":1}}}')],
    ['a debounce period above the maximum', limits('{"debounce":{"seconds":86401}}')],
    [
      'limits with many other members',
      setOptions(
        `json_build_object('limits', json_build_object('concurrency', json_build_object('runs_per_key', 1000,
           'x', (select json_agg(1) from generate_series(1, 100000)))))`,
      ),
    ],
    [
      'a longest debounce above the maximum',
      limits('{"debounce":{"seconds":1,"max_seconds":604801}}'),
    ],
    ['a run that is delayed until a time, but by no limit', delay('delayed_by = null')],
    ['a run that is delayed until a time, but waits for a slot', delay(`delayed_by = 'slot'`)],
    [
      'a debounced run without a debounce key',
      delay(`delayed_by = 'debounce', debounce_key = null`),
    ],
    ['an event whose transaction id is no number', event('x')],
    ['an event whose transaction id begins with 0', event('09')],
    ['a wait whose snapshot is no snapshot', waits('x')],
    ['a wait whose snapshot ends before it begins', waits('9:5:')],
    ['a large event', event('1').replace(`'{}'`, LARGE)],
    [
      'a wait with large bindings',
      `insert into run_waits (organization_id, run_id, step_id, event, state, bindings)
       select organization_id, id, 'a', 'test', 'armed', ${LARGE} from workflow_runs limit 1`,
    ],
    ['a run with a large answer', `update workflow_runs set answer = ${LARGE}`],
    ['a run with a large payload', run('payload', `convert_to(${LARGE}::text, 'UTF8')`)],
    [
      'a run with a large request',
      run('payload, request', `'', ('[' || repeat('{},', 100000) || '{}]')::json`),
    ],
    [
      'a run with long facts of its payload',
      run('payload, large_payload', `'', to_json(repeat('x', 10000))`),
    ],
    // A function of the gate that stored a reason could make the texts of such a run too long together.
    [
      'a run of a long trigger type',
      `insert into workflow_runs
         (organization_id, id, workflow_id, workflow_version, trigger_type, payload, status)
       select organization_id, 'x', id, version, repeat('x', 60000), '\\x7b7d', 'queued' from workflows`,
    ],
    ['a run with a long key of a limit', `update workflow_runs set slot_key = ${LONG}`],
    ['a run with a long debounce key', `update workflow_runs set debounce_key = ${LONG}`],
    ['a run of a long id', run('payload', `''`).replace(`'x' || left(id, 20)`, LONG)],
    [
      'a workflow of a long id',
      `insert into workflows (organization_id, id, name, active, version, trigger_type)
       select organization_id, ${LONG}, name, active, version, trigger_type from workflows`,
    ],
    [
      'a contact with many tags',
      contact('tags', '(select array_agg(g::text) from generate_series(1, 10001) g)'),
    ],
    [
      'a contact with a property of many entries',
      contact(
        'properties',
        `(select jsonb_build_object('a', jsonb_agg(g)) from generate_series(1, 10001) g)`,
      ),
    ],
    [
      'a contact with a long text for searches',
      `insert into contacts (organization_id, id, external_id, search_text)
       select organization_id, 'con_x', 'x', repeat('x', 200000) from workflows`,
    ],
    ['a contact with a long name', contact('first_name', `repeat('x', 3000000)`)],
    ['a contact with properties that are long as text', contact('properties', numbers(70))],
    ['a contact with consent that is long as text', contact('consent', numbers(40))],
    ['quiet hours of many days', quiet(`array_fill(1, array[1000])`, `'{sms}'`)],
    ['quiet hours of a long channel', quiet(`'{1}'`, `array[repeat('x', 100000)]`)],
    ['evidence of consent that is long as text', evidence(`'[' || repeat('1e131071,', 8) || '1]'`)],
    ['evidence of consent that is long', evidence(`to_json(repeat('x', 1100000))::text`)],
    ['a run with a long text', `update workflow_runs set reason = repeat('x', 1000000)`],
    ['a step of a tool with a long name', `${step('tool')} repeat('x', 100000) from workflow_runs`],
    [
      'a step with a long path',
      step('tool').replace("id, 'x', 1", `id, repeat('x', 1025), 1`) + ' null from workflow_runs',
    ],
    [
      'a wait with a long error',
      waits('1:1:')
        .replace('armed_snapshot)', 'armed_snapshot, error)')
        .replace(`'1:1:'`, `'1:1:', repeat('x', 3000000)`),
    ],
    ['an event of a long name', event('1').replace(`'test'`, `repeat('x', 100000)`)],
    ['a step with a large error', `${step('error')} ${LARGE} from workflow_runs`],
    ['a step with large failed attempts', `${step('failed_attempts')} ${LARGE} from workflow_runs`],
    ['a template with a large draft', template('draft', LARGE)],
    [
      'a template whose draft has many variables',
      template('draft', `json_build_object('variables', ${VARIABLES})`),
    ],
    ['a template of a long name', template('name, draft', `repeat('x', 100000), '{}'`)],
    ['a long snippet', snippet(`'a', repeat('x', 300000)`)],
    ['a snippet of a long name', snippet(`repeat('x', 100000), 'a'`)],
    ['a version with large content', version('content', LARGE)],
    ['a version with large texts', version('compiled', LARGE)],
    ['a version with large warnings', version('warnings', LARGE)],
    ['a version with a long author', version('actor_id', `repeat('x', 100000)`)],
    [
      'a version with many variables',
      version('compiled', `json_build_object('variables', ${VARIABLES})`),
    ],
    [
      'a version with large variables',
      version('compiled', `json_build_object('variables', json_build_array(repeat('x', 3000000)))`),
    ],
    [
      'a version whose variables are no list',
      version('compiled', `'{"variables":{"length":200000}}'`),
    ],
    [
      'a large value that is compressed when it is stored',
      `with large as (insert into workflow_versions (organization_id, workflow_id, version, steps, loose_references)
         select organization_id, id, 99, '[]', ${LARGE} from workflows returning loose_references as value)
       update workflow_runs set answer = large.value from large`,
    ],
  ])('cannot store %s', async (_name, statement) => {
    const { id } = await createWorkflow(hostile, STEPS, manual());
    await trigger(hostile, id);
    expect(await runSql(hostile, statement)).toEqual(REFUSED);
  });

  it('cannot store options that make webhooks of other organizations fail', async () => {
    const [{ id: own }, { id: other }] = await Promise.all([
      createWorkflow(hostile, STEPS),
      createWorkflow(victim, STEPS),
    ]);
    await runSql(hostile, setOptions(`'{"x":"\\u0000"}'`));
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const [, answer] = await Promise.all([
          postWebhook(switchboard, own, { a: 1 }),
          postWebhook(switchboard, other, { a: 1 }),
        ]);
        return answer.status;
      }),
    );
    expect(new Set(answers)).toEqual(new Set([202]));
  });
});

describe('the log of consent', () => {
  const LONG = `(select string_agg(md5(g::text), '') from generate_series(1, 3000) g)`;
  const sizes = async (): Promise<number[]> => {
    const rows = await switchboard.ownerQuery<{ bytes: number }>(
      `select octet_length(concat(name, from_state, to_state, source)) as bytes from consent_changes
       where organization_id = $1`,
      [hostile.id],
    );
    return rows.map(({ bytes }) => bytes);
  };
  beforeEach(async () => {
    await hostile.call('create_contact', { external_id: '1' });
  });

  it('has shortened texts when SQL of a tool stores long texts for a channel', async () => {
    const consent = (status: string): string =>
      `update contacts set consent = json_build_object(${LONG}, json_build_object('status', ${status}, 'source', ${LONG}))::jsonb`;
    const outcomes = await runSql(
      hostile,
      consent(LONG),
      consent(`'denied'`),
      `select set_config('switchboard.consent_source', ${LONG}, true)`,
      consent(`'granted'`),
      `insert into contacts (organization_id, id, external_id, search_text, consent)
       select organization_id, 'con_2', '2', search_text, consent from contacts`,
    );
    expect(outcomes.filter((outcome) => 'error' in outcome)).toEqual([]);
    const logged = await sizes();
    expect(logged.length).toBe(4);
    expect(Math.max(...logged)).toBeLessThanOrEqual(4096);
  });

  it.each(['source', 'confirmation_address', 'confirmation_id', 'topic'])(
    'gets no decision about a topic with a long %s',
    async (column) => {
      const values = { topic: `'news'`, source: `'x'`, [column]: LONG };
      const outcome = await runSql(
        hostile,
        `insert into topic_subscriptions (organization_id, contact_id, state, ${Object.keys(values).join(', ')})
         select organization_id, id, 'subscribed', ${Object.values(values).join(', ')} from contacts`,
      );
      expect(outcome).toEqual([{ error: expect.stringContaining('violates check') as string }]);
    },
  );
});

describe('the highest allowed limits of a workflow', () => {
  it('are stored', async () => {
    const most = {
      rate: { runs: 1000, per_seconds: 86_400 },
      concurrency: { runs: 1000, runs_per_key: 1000, key: '{{ trigger.payload.key }}' },
      debounce: { seconds: 86_400, max_seconds: 604_800, key: '{{ trigger.payload.key }}' },
    };
    await createWorkflow(victim, STEPS, manual(most));
    const [row] = await switchboard.ownerQuery(
      `select trigger_options -> 'limits' as limits from workflows where organization_id = $1`,
      [victim.id],
    );
    expect(row!.limits).toEqual(most);
  });
});

describe('a run is parked after three crashes, although SQL of a tool stored a negative number of crashes', () => {
  const CRASH = `status = 'running', available_at = '-infinity'`;
  it.each([
    ['by a sweep', 'select * from gate.wake_runs(100) where $1 <> $2'],
    ['by a claim', 'select * from gate.claim_runs(1, $1, 15, jsonb_build_object($2::text, 1))'],
  ])('%s', async (_name, statement) => {
    const { id } = await createWorkflow(hostile, STEPS, manual());
    const runId = await trigger(hostile, id);
    await runSql(hostile, `update workflow_runs set crashes = -1000`);
    for (let crash = 1; crash <= 3; crash += 1) {
      await switchboard.ownerQuery(`update workflow_runs set ${CRASH} where id = $1`, [runId]);
      await switchboard.ownerQuery(statement, [runId, '']);
    }
    expect(await countRuns(hostile, `status = 'failed' and reason = 'poison'`)).toBe(1);
  });
});

describe('many delayed runs of one organization', () => {
  it('do not keep the due run of another organization waiting', async () => {
    await createWorkflow(hostile, STEPS, manual(DEBOUNCE));
    await createWorkflow(victim, STEPS, manual(DEBOUNCE));
    await insertRuns(hostile, 200, {
      set: `delayed_by = 'debounce', debounce_key = id, delayed_until = '-infinity'`,
    });
    await insertRuns(victim, 1, {
      set: `delayed_by = 'debounce', debounce_key = id, delayed_until = now()`,
      createdAt: `now() - interval '1 hour'`,
    });
    await wake(20);
    expect(await countRuns(victim, 'delayed_by is null')).toBe(1);
  });

  it('of many workflows do not keep a delayed run of another organization waiting', async () => {
    await switchboard.ownerQuery(
      `insert into organizations (id, name) values ('org_A0', 'Hostile'), ('org_A1', 'Victim')`,
    );
    await switchboard.ownerQuery(`
      create temporary table own on commit drop as
        select 'org_A0' as org, 'wf_a0_' || g as id from generate_series(1, 201) g union all select 'org_A1', 'wf_a1';
      insert into workflows (organization_id, id, name, active, version, trigger_type)
        select org, id, '', true, 1, 'manual' from own;
      insert into workflow_versions (organization_id, workflow_id, version, steps) select org, id, 1, '[]' from own;
      insert into workflow_runs (organization_id, id, workflow_id, workflow_version, trigger_type, payload, status,
          limited, delayed_by, debounce_key, delayed_until)
        select org, 'run_' || id, id, 1, 'manual', '', 'queued', true,
          case org when 'org_A0' then 'debounce' else 'slot' end, 'k', case org when 'org_A0' then 'infinity'::timestamptz end
        from own`);
    const swept = await switchboard.ownerQuery('select * from gate.sweep_run_limits()');
    expect(swept).toEqual([{ id: 'run_wf_a1', organization_id: 'org_A1' }]);
    await switchboard.ownerQuery(`delete from organizations where id in ('org_A0', 'org_A1')`);
  });

  it('with the same debounce key are canceled in parts, and the newest run starts after the other runs have ended', async () => {
    await createWorkflow(hostile, STEPS, manual(DEBOUNCE));
    await insertRuns(hostile, 1500, {
      set: `delayed_by = 'debounce', debounce_key = 'k', delayed_until = now()`,
      createdAt: `now() - interval '1 hour' + g * interval '1 ms'`,
    });
    await wake(20);
    let canceled = await countRuns(hostile, `status = 'canceled'`);
    expect(canceled).toBeLessThanOrEqual(1000);
    while (canceled < 1499) {
      expect(await countRuns(hostile, 'delayed_by is null')).toBe(0);
      await switchboard.ownerQuery(
        `update workflow_runs set delayed_until = now() where status = 'queued'`,
      );
      await wake(20);
      const before = canceled;
      canceled = await countRuns(hostile, `status = 'canceled'`);
      expect(canceled).toBeGreaterThan(before);
    }
    expect(canceled).toBe(1499);
    expect(await countRuns(hostile, 'delayed_by is null')).toBe(1);
  });

  it('that wait for a rate limit are checked in parts', async () => {
    await createWorkflow(hostile, STEPS, manual({ rate: { runs: 1, per_seconds: 60 } }));
    await insertRuns(hostile, 2500, { set: `delayed_by = 'rate', delayed_until = '-infinity'` });
    await wake(20);
    expect(await countRuns(hostile, 'delayed_until <= now()')).toBeGreaterThan(1000);
  });

  it('that began in the period of a rate limit are not all read', async () => {
    const rate = { runs: 10, per_seconds: 86_400 };
    const { id } = await createWorkflow(hostile, STEPS, manual({ rate }));
    await insertRuns(hostile, 20_000, { set: `status = 'succeeded', finished_at = now()` });
    // A run keeps this time after its end. SQL of a tool cannot write it.
    await switchboard.ownerQuery(
      `update workflow_runs set released_at = now() - interval '1 s' where organization_id = $1`,
      [hostile.id],
    );
    // Rows that earlier tests deleted would be read too.
    await switchboard.ownerQuery('vacuum workflow_runs');
    const [first] = await switchboard.ownerQuery<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (analyze, buffers, format json) select private.pass_rate($1, $2, $3)`,
      [hostile.id, id, JSON.stringify({ rate })],
    );
    const plan = first!['QUERY PLAN'][0].Plan;
    expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(300);
  });

  it('whose limits cannot be computed are checked in parts', async () => {
    await createWorkflow(hostile, STEPS, manual(DEBOUNCE));
    await insertRuns(hostile, 2500, {
      set: `delayed_by = 'debounce', debounce_key = 'k', delayed_until = '-infinity'`,
      createdAt: `'294276-12-31 23:59:59'`,
    });
    await wake(20);
    expect(await countRuns(hostile, 'delayed_until <= now()')).toBeGreaterThan(1000);
  });
});

describe('many waits of one organization', () => {
  it('are swept without a look at their large values', async () => {
    await createWorkflow(hostile, STEPS, manual());
    await insertRuns(hostile, 1, { set: `status = 'waiting', available_at = 'infinity'` });
    // The value is larger than the limit. A statement that compared the value with the limit would fail.
    await switchboard.ownerQuery(
      `alter table run_waits disable trigger bound_values;
       insert into run_waits (organization_id, run_id, step_id, event, state, bindings)
         select organization_id, id, 'a', 'test', 'delivered', ${LARGE} from workflow_runs;
       alter table run_waits enable trigger bound_values`,
    );
    await wake(20);
    expect(await countRuns(hostile, `status = 'queued'`)).toBe(1);
    await switchboard.ownerQuery('delete from run_waits');
  });

  it('for the end of the same run do not make the claim that parks the run slow', async () => {
    const { id } = await createWorkflow(hostile, STEPS, manual());
    const runId = await trigger(hostile, id);
    const outcomes = await runSql(
      hostile,
      `insert into run_waits (organization_id, run_id, step_id, event, state, child_run_id)
       select organization_id, id, 'step_' || g, 'run.ended', 'armed', id from workflow_runs, generate_series(1, 3000) g`,
      `update workflow_runs set depth = 1, crashes = 2, status = 'running', available_at = '-infinity'`,
    );
    expect(outcomes.filter((outcome) => 'error' in outcome)).toEqual([]);
    await wake(20);
    expect(await countRuns(hostile, `id = '${runId}' and reason = 'poison'`)).toBe(1);
    const [row] = await switchboard.ownerQuery(
      `select count(*)::int as ended from run_waits where organization_id = $1 and state = 'delivered'`,
      [hostile.id],
    );
    expect(row).toEqual({ ended: 10 });
  });
});

describe('many running imports of one organization', () => {
  it('are not read by a claim', async () => {
    await uploadedImport(hostile);
    await switchboard.ownerQuery(
      `insert into imports select (jsonb_populate_record(i, jsonb_build_object('id', 'imp_' || g, 'status', 'running',
         'started_at', now(), 'lease_until', null))).* from imports i, generate_series(1, 20000) g where i.organization_id = $1`,
      [hostile.id],
    );
    await switchboard.ownerQuery('vacuum imports');
    const [first] = await switchboard.ownerQuery<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (analyze, buffers, format json) select * from gate.claim_imports(10, null, 15)`,
    );
    const plan = first!['QUERY PLAN'][0].Plan;
    expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(300);
    await switchboard.ownerQuery('delete from imports where organization_id = $1', [hostile.id]);
  });
});

describe('many parked runs of one organization', () => {
  it('do not keep the parked run of another organization waiting', async () => {
    await createWorkflow(hostile, STEPS, manual());
    const { id } = await createWorkflow(victim, STEPS, manual());
    const crashed = `crashes = 2, status = 'running', available_at = '-infinity'`;
    await insertRuns(hostile, 5000, { set: crashed });
    const runId = await trigger(victim, id);
    await runSql(victim, `update workflow_runs set ${crashed}`);
    await wake(5001);
    const found = await switchboard.ownerQuery('select * from gate.find_parked_runs(10)');
    expect(found).toContainEqual({ id: runId, organization_id: victim.id });
    expect(found).toHaveLength(10);
  });
});

describe('the stored bytes of an organization', () => {
  const measure = async (): Promise<number> => {
    const [row] = await switchboard.ownerQuery<{ bytes: string }>(
      'select private.stored_bytes($1, 0, 0, 4000) as bytes',
      [hostile.id],
    );
    return Number(row!.bytes);
  };

  it('do not become less when SQL of a tool makes the numbers of an import negative', async () => {
    await uploadedImport(hostile);
    const before = await measure();
    await runSql(
      hostile,
      `update imports set size = -9e18::bigint, failed = 0, duplicate = 0,
         processed = -2147483648, status = 'running'`,
    );
    expect(await measure()).toBeGreaterThanOrEqual(before - 500);
  });

  it('include the bytes of imports and files whose declared size is smaller than their real size', async () => {
    await uploadedImport(hostile);
    const before = await measure();
    const outcomes = await runSql(
      hostile,
      `insert into import_chunks (organization_id, import_id, position, first_row, bytes)
       select organization_id, id, g, 1, decode(repeat('00', 1000000), 'hex') from imports, generate_series(2, 4) g`,
      `insert into files (organization_id, id, name, content_type, size, sha256)
       select organization_id, 'fil_a', 'a', 'text/plain', 0, '\\x00' from imports`,
      `insert into file_chunks (organization_id, file_id, position, bytes)
       select organization_id, id, g, decode(repeat('00', 1000000), 'hex') from files, generate_series(1, 3) g`,
      `insert into import_faults (organization_id, import_id, generation, row, cells, reasons)
       select organization_id, id, 1, g, encode(sha256(g::text::bytea), 'hex'), '' from imports, generate_series(1, 1000) g`,
    );
    expect(outcomes.filter((outcome) => 'error' in outcome)).toEqual([]);
    expect((await measure()) - before).toBeGreaterThan(6_100_000);
  });
});
