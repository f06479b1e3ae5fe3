import { createHmac, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashApiKey, newApiKey } from '../../src/keys/api-key-format.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { runSql, SqlTools } from './sql-tools.js';
import { createWorkflow, runToEnd } from '../workflows/support/workflow-client.js';

let switchboard: Switchboard;
let hostile: TestOrganization;
let victim: TestOrganization;

beforeAll(async () => {
  switchboard = await startSwitchboard({ providers: [SqlTools] });
});
beforeEach(async () => {
  hostile = await createOrganization(switchboard, 'Hostile');
  victim = await createOrganization(switchboard, 'Victim');
});
afterAll(() => switchboard.close());

const DENIED = {
  error: expect.stringMatching(/^permission denied for (table|schema|function|sequence) /),
};

const UNSIGNED = { error: expect.stringMatching(/ not signed by the service\.$/) };

/** Returns the id of the organization that the session of this cookie acts in. */
async function organizationOf(cookie: string): Promise<string> {
  const response = await fetch(`${switchboard.url}/api/auth/session`, {
    headers: { Cookie: cookie },
  });
  expect(response.status).toBe(200);
  const { organization } = (await response.json()) as { organization: { id: string } };
  return organization.id;
}

async function signIn({ email, password }: TestOrganization): Promise<string> {
  const response = await fetch(`${switchboard.url}/api/auth/sign-in`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  expect(response.status).toBe(200);
  return response.headers.getSetCookie()[0]!.split(';')[0]!;
}

async function countRows(table: string, organization: TestOrganization): Promise<number> {
  const [row] = await switchboard.ownerQuery<{ count: number }>(
    `select count(*)::integer as count from ${table} where organization_id = $1`,
    [organization.id],
  );
  return row!.count;
}

async function createContact(fields: object): Promise<string> {
  const { value } = await hostile.call<{ contact: { id: string } }>('create_contact', fields);
  return value.contact.id;
}

describe('SQL of a tool', () => {
  it('cannot make a person of another organization a member of its own organization', async () => {
    const outcomes = await runSql(
      hostile,
      `insert into memberships (organization_id, user_id, role, created_at)
       values ('${hostile.id}', '${victim.userId}', 'owner', '-infinity')`,
    );
    expect(await organizationOf(victim.cookie)).toBe(victim.id);
    expect(await organizationOf(await signIn(victim))).toBe(victim.id);
    expect(outcomes).toEqual([DENIED]);
  });

  it('cannot change or remove the members of its organization', async () => {
    const outcomes = [
      ...(await runSql(hostile, `update memberships set role = 'member', created_at = 'infinity'`)),
      ...(await runSql(hostile, 'delete from memberships')),
      ...(await runSql(hostile, 'select user_id from memberships')),
    ];
    expect(await organizationOf(hostile.cookie)).toBe(hostile.id);
    expect(outcomes).toEqual([DENIED, DENIED, DENIED]);
  });

  it('cannot delete its organization, and the audit log with it', async () => {
    const before = await countRows('audit_log', hostile);
    expect(before).toBeGreaterThan(0);
    const outcomes = await runSql(hostile, 'delete from organizations returning id');
    expect(await countRows('audit_log', hostile)).toBeGreaterThanOrEqual(before);
    expect(await organizationOf(hostile.cookie)).toBe(hostile.id);
    expect(outcomes).toEqual([DENIED]);
  });

  it('cannot rename or create organizations', async () => {
    const outcomes = [
      ...(await runSql(hostile, `update organizations set name = 'Bank'`)),
      ...(await runSql(hostile, `update organizations set id = id`)),
      ...(await runSql(hostile, `insert into organizations (id, name) values ('org_x', 'X')`)),
    ];
    expect(outcomes).toEqual([DENIED, DENIED, DENIED]);
  });

  it('cannot create an API key', async () => {
    const key = newApiKey();
    const hash = `'\\x${hashApiKey(key).toString('hex')}'`;
    const insert = `insert into api_keys (organization_id, id, hash, prefix, last_four)
      values ('${hostile.id}', 'key_own', ${hash}, 'swb_0000', '0000')`;
    const outcomes = [
      ...(await runSql(hostile, 'delete from api_keys', insert)).slice(0, 1),
      ...(await runSql(hostile, insert)),
      ...(await runSql(hostile, `update api_keys set hash = ${hash}, revoked_at = null`)),
    ];
    const used = await hostile.rpc(
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { Authorization: `Bearer ${key}` },
    );
    expect(used.status).toBe(401);
    expect(outcomes).toEqual([DENIED, DENIED, DENIED]);
  });

  it('cannot revoke the API key of its organization, or read its hash', async () => {
    const outcomes = [
      ...(await runSql(hostile, 'update api_keys set revoked_at = now()')),
      ...(await runSql(hostile, 'delete from api_keys')),
      ...(await runSql(hostile, 'select hash from api_keys')),
    ];
    const used = await hostile.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(used.status).toBe(200);
    expect(outcomes).toEqual([DENIED, DENIED, DENIED]);
  });

  it('cannot forge, change, remove or backdate entries of the audit log', async () => {
    await hostile.call('create_contact', { email: 'a@example.com' });
    const dump = (): Promise<unknown> =>
      switchboard.ownerQuery(
        `select a::text from audit_log a where organization_id = $1 and action <> 'run_sql' order by id`,
        [hostile.id],
      );
    const before = await dump();
    const columns = 'organization_id, actor_kind, actor_id, action';
    const entry = `'${hostile.id}', 'user', 'x', 'x'`;
    const outcomes = [
      ...(await runSql(hostile, `insert into audit_log (${columns}) values (${entry})`)),
      ...(await runSql(hostile, `update audit_log set action = 'nothing'`)),
      ...(await runSql(hostile, 'delete from audit_log')),
      ...(await runSql(hostile, 'select from audit_log for update')),
      ...(await runSql(
        hostile,
        `insert into audit_log (${columns}, at) values (${entry}, '2001-01-01')`,
      )),
      ...(await runSql(
        hostile,
        `insert into audit_log (${columns}, id) overriding system value values (${entry}, 1)`,
      )),
      ...(await runSql(hostile, `select setval('audit_log_id_seq', 1)`)),
      ...(await runSql(
        hostile,
        `insert into audit_log (${columns}) values (${entry}) on conflict (organization_id, at, id) do update set action = 'x'`,
      )),
    ];
    expect(await dump()).toEqual(before);
    expect(outcomes).toEqual(outcomes.map(() => DENIED));
  });

  it('cannot call the functions of the audit log without a signature of the service', async () => {
    const entries = `[{"organization_id":"${hostile.id}","actor_kind":"user","actor_id":"x","action":"forged"}]`;
    const command = `{"organization_id":"${hostile.id}","days":90}`;
    const context = createHmac('sha256', switchboard.access.contextKey);
    // This is a signature of the service, but for a tenant context.
    const other = context.update(`audit entries.1`).digest('hex');
    const outcomes = [
      ...(await runSql(hostile, `select record_audit('${entries}', '${other}')`)),
      ...(await runSql(hostile, `select record_audit('${entries}', '')`)),
      ...(await runSql(hostile, `select record_audit('${entries}', null)`)),
      ...(await runSql(hostile, `select set_audit_retention('${command}', '${other}')`)),
      ...(await runSql(hostile, `select private.write_audit('${entries}')`)),
      ...(await runSql(hostile, `select gate.record_events('${entries}', '[]')`)),
      ...(await runSql(hostile, `select gate.seal_audit_log(1)`)),
      ...(await runSql(hostile, 'delete from private.audit_queue')),
      ...(await runSql(hostile, 'delete from call_log')),
    ];
    for (const outcome of outcomes) {
      expect(outcome).toEqual({
        error: expect.stringMatching(/^permission denied|were not signed|was not signed/),
      });
    }
    const forged = await switchboard.ownerQuery(`select from audit_log where action = 'forged'`);
    expect(forged).toEqual([]);
  });

  it('cannot have the audit log deleted by a retention that nobody set', async () => {
    await hostile.call('set_retention', { audit_log_days: 365, runs_days: 30 });
    await runSql(
      hostile,
      `update retention_rules set days = 90, available_at = now() where kind = 'audit_log'`,
      `update retention_rules set available_at = 'infinity', epoch = 1000 where kind = 'audit_log'`,
      `delete from retention_rules where kind = 'audit_log'`,
    );
    await runSql(
      hostile,
      `insert into retention_rules (organization_id, kind, days) values ('${hostile.id}', 'audit_log', 90)
       on conflict (organization_id, kind) do update set days = 90`,
    );
    await runSql(
      victim,
      `insert into retention_rules (organization_id, kind, days) values ('${victim.id}', 'audit_log', 90)`,
    );
    const rules = await switchboard.ownerQuery(
      `select organization_id, days, epoch from retention_rules where kind = 'audit_log'`,
    );
    expect(rules).toEqual([{ organization_id: hostile.id, days: 365, epoch: 0 }]);
  });

  it('cannot delete messages of its organization', async () => {
    const contactId = await createContact({ email: 'ada@example.com' });
    const message = { contact_id: contactId, channel: 'email', subject: 'x', body: 'x' };
    const sent = await hostile.call('send_message', message);
    expect(sent.error).toBeUndefined();
    const command = JSON.stringify({ organization_id: hostile.id, contact_id: contactId });
    const outcomes = [
      ...(await runSql(hostile, 'delete from messages')),
      ...(await runSql(hostile, `select delete_contact_messages('${command}', '')`)),
      ...(await runSql(hostile, `select delete_contact_messages('${command}', null)`)),
    ];
    expect(await countRows('messages', hostile)).toBe(1);
    expect(outcomes).toEqual([DENIED, UNSIGNED, UNSIGNED]);
  });

  it('can neither change the text of an ended message nor send it again', async () => {
    const contactId = await createContact({ email: 'ada@example.com' });
    const message = { contact_id: contactId, channel: 'email', subject: 'x', body: 'x' };
    const { value } = await hostile.call<{ message: { id: string } }>('send_message', message);
    const { id } = value.message;
    await waitFor(async () => {
      const { value: found } = await hostile.call<{ message: { status: string } }>('get_message', {
        message_id: id,
      });
      return found.message.status === 'sent';
    });
    const outcomes = [
      ...(await runSql(hostile, `update messages set body = 'forged' where id = '${id}'`)),
      ...(await runSql(hostile, `update messages set subject = 'forged' where id = '${id}'`)),
      ...(await runSql(hostile, `update messages set html = 'forged' where id = '${id}'`)),
      ...(await runSql(hostile, `update messages set status = 'queued' where id = '${id}'`)),
      ...(await runSql(
        hostile,
        `update messages set status = 'held', reason_code = 'digest' where id = '${id}'`,
      )),
      ...(await runSql(hostile, `update messages set status = 'uncertain' where id = '${id}'`)),
    ];
    const [row] = await switchboard.ownerQuery(
      'select subject, body, html, status from messages where id = $1',
      [id],
    );
    expect(row).toEqual({ subject: 'x', body: 'x', html: null, status: 'sent' });
    expect(outcomes).toEqual(
      outcomes.map(() => ({ error: expect.stringMatching(/^A message has one text/) })),
    );
  });

  it('cannot explain a statement, because the estimates come from the values of all organizations', async () => {
    const explain = `explain (format json) select from messages where subject < 'm'`;
    for (const begin of ['', '/* a */ ', ';', 'select 1; ']) {
      expect(await runSql(hostile, begin + explain)).toEqual([{ error: expect.any(String) }]);
    }
  });

  it('cannot restore a deleted workflow, which would not count for the quota', async () => {
    const { value } = await hostile.call<{ workflow: { id: string } }>('create_workflow', {
      name: 'Deleted',
      trigger: { type: 'manual' },
      steps: [],
    });
    const { id } = value.workflow;
    await hostile.call('delete_workflow', { workflow_id: id });
    const outcomes = await runSql(
      hostile,
      `update workflows set deleted_at = null where id = '${id}'`,
    );
    expect(outcomes).toEqual([{ error: expect.stringMatching(/cannot be restored/) }]);
  });

  it('cannot record a merge, which would move the log of consent to another contact', async () => {
    const consent = { email: 'denied' };
    const merged = await createContact({ email: 'a@example.com', consent });
    const survivor = await createContact({ email: 'b@example.com', consent });
    const log = (): Promise<unknown> =>
      switchboard.ownerQuery(
        `select contact_id, recorded_for from consent_changes where organization_id = $1 order by id`,
        [hostile.id],
      );
    const before = await log();
    const command = JSON.stringify({
      organization_id: hostile.id,
      merged_id: merged,
      survivor_id: survivor,
      undo: {},
    });
    const outcomes = [
      ...(await runSql(
        hostile,
        `insert into contact_merges (organization_id, merged_id, into_id, survivor_id, undo, moved)
         values ('${hostile.id}', '${merged}', '${survivor}', '${survivor}', '{}', '{}')`,
      )),
      ...(await runSql(hostile, `select record_contact_merge('${command}', '')`)),
    ];
    expect(await log()).toEqual(before);
    expect(await countRows('contact_merges', hostile)).toBe(0);
    expect(outcomes).toEqual([DENIED, UNSIGNED]);
  });

  it('cannot change columns that no repository changes', async () => {
    const workflow = await createWorkflow(hostile, [
      { id: 'find', tool: 'search_contacts', arguments: { query: 'ada' } },
    ]);
    await runToEnd(hostile, workflow.id);
    await hostile.call('create_contact', {
      email: `${randomBytes(4).toString('hex')}@example.com`,
    });
    const statements = [
      `update confirmations set arguments = '{}', digest = ''`,
      `update confirmations set tool = 'other', api_key_id = 'other'`,
      `insert into confirmations (organization_id, id, api_key_id, tool, arguments, digest, expires_at, state)
       values ('${hostile.id}', 'cfm_1', 'key', 'note', '{}', '', now(), 'approved')`,
      'delete from confirmations',
      `update contacts set id = 'con_other'`,
      `update contacts set created_at = 'infinity'`,
      `update messages set body = 'other', recipient = 'other@example.com'`,
      `update messages set epoch = 0`,
      'update idempotency_keys set fingerprint = null',
      `update event_interests set event = 'x'`,
      'delete from event_interests',
      'update parked_runs set run_id = run_id',
      `update pending_events set payload = '{}'`,
      `update retention_rules set kind = 'audit_log'`,
      `insert into retention_rules (organization_id, kind, days, available_at) values ('${hostile.id}', 'runs', 7, 'infinity')`,
      `update run_steps set step_id = 'other', tool = 'other'`,
      `update tool_policies set hidden = false`,
      `update webhook_deliveries set status = 200`,
      `update workflow_runs set payload = '{}'`,
      `update workflow_runs set workflow_id = workflow_id`,
      'delete from workflow_runs',
      `update workflow_schedules set workflow_id = workflow_id`,
      `update workflow_versions set steps = '[]'`,
      `update workflow_versions set actor_id = 'other'`,
      'delete from workflow_versions',
      `update workflows set id = 'wf_other'`,
      `update workflows set created_at = 'infinity'`,
      'delete from workflows',
    ];
    const allowed: string[] = [];
    for (const statement of statements) {
      const [outcome] = await runSql(hostile, statement);
      if (!('error' in outcome!) || !outcome.error.startsWith('permission denied')) {
        allowed.push(statement);
      }
    }
    expect(allowed).toEqual([]);
  });
});

describe('a session', () => {
  it('stays in the organization that it was opened in, even when its person has an older membership', async () => {
    await switchboard.ownerQuery(
      `insert into memberships (organization_id, user_id, role, created_at) values ($1, $2, 'member', '-infinity')`,
      [hostile.id, victim.userId],
    );
    expect(await organizationOf(victim.cookie)).toBe(victim.id);
    expect(await organizationOf(await signIn(victim))).toBe(hostile.id);
  });

  it('ends when its person leaves the organization, even with a membership in another organization', async () => {
    await switchboard.ownerQuery(
      `insert into memberships (organization_id, user_id, role) values ($1, $2, 'member')`,
      [hostile.id, victim.userId],
    );
    await switchboard.ownerQuery(
      'delete from memberships where organization_id = $1 and user_id = $2',
      [victim.id, victim.userId],
    );
    const response = await victim.fetch('/api/auth/session');
    expect(response.status).toBe(401);
  });
});
