import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CallRecorder } from '../../src/accounts/call-recorder.js';
import { postModern } from '../mcp/support/modern.js';
import { callForTask, taskRequest } from '../mcp/support/task-client.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { postJson } from '../support/post-json.js';
import { waitFor } from '../support/wait-for.js';
import { withNewKey } from '../support/with-new-key.js';
import { offerSteps } from '../workflows/support/offer-client.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';

interface Entry {
  id: string;
  at: string;
  caller_kind: string;
  caller_id: string;
  action: string;
  subject: string | null;
  outcome: string;
  arguments_digest: string | null;
  duration_ms: number | null;
  address: string | null;
  request_id: string | null;
  client: string | null;
  unlogged: number;
}
interface Page {
  entries: Entry[];
  next_cursor: string | null;
}
interface Part {
  content: string;
  count: number;
  next_cursor: string | null;
}
interface Calls {
  calls: (Entry & { tool: string | null; error: string | null })[];
  next_cursor: string | null;
}

let switchboard: Switchboard;
let acme: TestOrganization;
let globex: TestOrganization;

beforeAll(async () => {
  switchboard = await startSwitchboard({ env: { ROLE: 'web', RATE_LIMIT_PER_MINUTE: '2000' } });
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
  globex = await createOrganization(switchboard);
});
afterAll(() => switchboard.close());

const flush = () => switchboard.app.get(CallRecorder, { strict: false }).flush();
const list = async (given: object = {}, organization = acme): Promise<Entry[]> => {
  await flush();
  return (await organization.call<Page>('list_audit_log', { limit: 100, ...given })).value.entries;
};
const callAsAgent = async (name: string, given: object): Promise<Response> =>
  await acme.rpc(
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
    { 'User-Agent': 'probe/1.0' },
  );

describe('the audit log', () => {
  it('says who made a change and from where, with a digest of the arguments and not their content', async () => {
    const email = 'canary.person@example.com';
    const response = await callAsAgent('create_contact', { email });
    const [entry] = await list({ action: 'create_contact' });
    expect(entry).toEqual({
      id: expect.any(String),
      at: expect.any(String),
      caller_kind: 'key',
      caller_id: expect.stringMatching(/^key_/),
      action: 'create_contact',
      subject: expect.stringMatching(/^con_/),
      outcome: 'ok',
      arguments_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      duration_ms: expect.any(Number),
      address: expect.stringContaining('127.0.0.1'),
      request_id: response.headers.get('x-request-id'),
      client: 'probe/1.0',
      unlogged: 0,
    });
    await acme.call('create_contact', { email: 'other@example.com' });
    await globex.call('create_contact', { email });
    const digests = new Set([
      entry!.arguments_digest,
      ...(await list({ action: 'create_contact' })).map((row) => row.arguments_digest),
      ...(await list({ action: 'create_contact' }, globex)).map((row) => row.arguments_digest),
    ]);
    expect(digests.size).toBe(3);
    const rows = await switchboard.ownerQuery('select a::text as row from audit_log a');
    expect(JSON.stringify(rows)).not.toContain('canary.person');
  });

  it('has entries for refused and failed calls of agents and people, and none for dry runs and reads', async () => {
    await callAsAgent('create_contact', { email: 'nobody' });
    await callAsAgent('no_such_tool', {});
    await callAsAgent('<canary.person@example.com>', {});
    await acme.call('set_retention', { runs_days: 1 });
    await acme.call('no_such_tool');
    await acme.call('search_contacts');
    for (const email of ['nobody', 'a@example.com']) {
      const body = JSON.stringify({ dry_run: true, email });
      const headers = { 'Content-Type': 'application/json' };
      await acme.fetch('/api/tools/create_contact', { method: 'POST', headers, body });
    }
    const entries = await list();
    const summary = entries.map(({ caller_kind, action, outcome }) => [
      caller_kind,
      action,
      outcome,
    ]);
    expect(summary.toReversed()).toEqual([
      ['user', 'sign_up', 'ok'],
      ['user', 'create_api_key', 'ok'],
      ['key', 'create_contact', 'invalid_arguments'],
      ['key', 'no_such_tool', 'not_found'],
      ['key', '(not a name)', 'not_found'],
      ['user', 'set_retention', 'invalid_arguments'],
      ['user', 'no_such_tool', 'not_found'],
    ]);
  });

  it('has entries for requests that the restriction of a key or a policy refuses', async () => {
    const { key } = await withNewKey(acme, { tools: ['get_contact'] });
    const request = async (method: string, path: string): Promise<number> => {
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'text/csv' };
      const body = method === 'POST' ? 'email\n' : undefined;
      return (await fetch(`${switchboard.url}${path}`, { method, headers, body })).status;
    };
    const requests = [
      ['POST', '/api/events'],
      ['GET', '/api/contacts/export.csv'],
      ['GET', '/api/imports/imp_1/rejected.csv'],
      ['POST', '/api/imports'],
      ['POST', '/api/files'],
    ] as const;
    for (const [method, path] of requests) expect(await request(method, path)).toBe(403);
    await acme.call('set_tool_policy', { tool: 'search_contacts', hidden: true });
    expect(await request('GET', '/api/contacts/export.csv')).toBe(404);
    expect((await acme.fetch('/api/contacts/export.csv')).status).toBe(404);
    const entries = (await list()).filter(({ outcome }) => outcome !== 'ok');
    const summary = entries.map(({ caller_kind, action, outcome }) => [
      caller_kind,
      action,
      outcome,
    ]);
    expect(summary.toReversed()).toEqual([
      ['key', 'emit_event', 'forbidden'],
      ['key', 'search_contacts', 'forbidden'],
      ['key', 'search_contacts', 'forbidden'],
      ['key', 'create_contact', 'forbidden'],
      ['key', 'send_message', 'forbidden'],
      ['key', 'search_contacts', 'not_found'],
      ['user', 'search_contacts', 'not_found'],
    ]);
    const { calls } = (await acme.call<Calls>('list_calls', { outcome: 'forbidden' })).value;
    expect(calls).toHaveLength(5);
    expect(calls[0]!.error).toContain('may not call send_message');
  });

  it('has an entry for a task that a key may read but not cancel', async () => {
    const step = { id: 'held', wait: { days: 1 } };
    await offerSteps(acme, [step], 'hold_order', { wait_seconds: 1 });
    const { taskId } = await callForTask(acme, 'hold_order', { item: 'tea' });
    const agent = await withNewKey(acme, { tools: ['trigger_workflow', 'get_run'] });
    const { body } = await postModern(agent, taskRequest('tasks/cancel', { taskId }));
    expect(JSON.stringify(body)).toContain('does not allow cancel_run');
    const entries = (await list()).filter(({ outcome }) => outcome === 'forbidden');
    expect(entries.map(({ action }) => action)).toEqual(['tasks/cancel']);
  });

  it('shows the addresses from which an organization was created, and from which its keys were created and revoked', async () => {
    const headers = { 'User-Agent': 'Browser/1' };
    const created = await acme.fetch('/api/mcp/keys', { method: 'POST', headers });
    const revoked = await acme.fetch('/api/mcp/keys', { method: 'DELETE', headers });
    const requests = [revoked, created].map((answer) => answer.headers.get('x-request-id'));
    const entries = await list();
    expect(entries.map(({ action }) => action)).toEqual([
      'revoke_api_key',
      'create_api_key',
      'create_api_key',
      'sign_up',
    ]);
    for (const entry of entries) {
      expect(entry.address).toContain('127.0.0.1');
      expect(entry.request_id).toMatch(/^req_/);
    }
    expect(entries.slice(0, 2).map(({ request_id }) => request_id)).toEqual(requests);
    expect(entries[0]).toMatchObject({ client: 'Browser/1' });
  });

  it('has sign-ins, failed sign-ins of known accounts, sign-outs, and changes of keys, policies and retention', async () => {
    const { url } = switchboard;
    const { email, password } = acme;
    await postJson(`${url}/api/auth/sign-in`, { email, password: 'canary wrong' });
    await postJson(`${url}/api/auth/sign-in`, { email: 'nobody@example.com', password });
    const signedIn = await postJson(`${url}/api/auth/sign-in`, { email, password });
    const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!;
    const headers = { Cookie: cookie, Origin: url };
    expect((await fetch(`${url}/api/auth/sign-out`, { method: 'POST', headers })).status).toBe(204);
    await acme.fetch('/api/mcp/keys', { method: 'DELETE' });
    await acme.call('set_tool_policy', { tool: 'list_messages', hidden: true });
    await acme.call('set_retention', { audit_log_days: 365 });
    const entries = await list();
    expect(entries.map(({ action, outcome }) => `${action} ${outcome}`).toReversed()).toEqual(
      expect.arrayContaining([
        'sign_in invalid_credentials',
        'sign_in ok',
        'sign_out ok',
        'revoke_api_key ok',
        'set_tool_policy ok',
        'set_retention ok',
      ]),
    );
    expect(entries.filter(({ action }) => action === 'sign_in')).toHaveLength(2);
    const [failed] = await list({ action: 'sign_in', outcome: 'invalid_credentials' });
    expect(failed).toMatchObject({
      caller_id: acme.userId,
      address: expect.stringContaining('127.0.0.1'),
    });
  });

  it('is filtered, and returned in pages, each entry once', async () => {
    for (let count = 0; count < 7; count += 1) {
      await acme.call('create_contact', { email: `a${count}@example.com` });
    }
    await flush();
    const ids: string[] = [];
    let cursor: string | null = '';
    do {
      const given: object = cursor === '' ? { limit: 2 } : { limit: 2, cursor };
      const { value }: { value: Page } = await acme.call<Page>('list_audit_log', given);
      ids.push(...value.entries.map(({ id }) => id));
      cursor = value.next_cursor;
    } while (cursor);
    const all = await list();
    expect(ids).toEqual(all.map(({ id }) => id));
    expect(new Set(ids).size).toBe(9);
    const contacts = await list({ action: 'create_contact' });
    expect(contacts).toHaveLength(7);
    expect(await list({ subject: contacts[3]!.subject })).toEqual([contacts[3]]);
    expect(await list({ caller_id: 'key_other' })).toEqual([]);
    expect(await list({ outcome: 'ok', until: contacts[6]!.at })).toHaveLength(2);
    expect(await list({ from: contacts[0]!.at, action: 'create_contact' })).toContainEqual(
      contacts[0],
    );
    expect(await list({ from: '2999-01-01T00:00:00Z' })).toEqual([]);
    for (const given of [
      { from: 'today' },
      { until: '0000-01-01T00:00:00Z' },
      { cursor: 'WzEsImEiXQ' },
    ]) {
      expect((await acme.call('list_audit_log', given)).error!.code).toBe('invalid_arguments');
    }
  });

  it('is exported in parts that make one file, as CSV without formulas and as JSON lines', async () => {
    await switchboard.ownerQuery(
      `select private.write_audit(json_agg(json_build_object('organization_id', $1::text, 'actor_kind', 'user',
         'actor_id', 'somebody', 'action', 'many', 'client', '=cmd|x'))) from generate_series(1, 1500)`,
      [acme.id],
    );
    const read = async (format: string): Promise<string> => {
      let content = '';
      let cursor: string | null = '';
      do {
        const filters = { format, action: 'many' };
        const given: object = cursor === '' ? filters : { ...filters, cursor };
        const { value }: { value: Part } = await acme.call<Part>('export_audit_log', given);
        content += value.content;
        cursor = value.next_cursor;
      } while (cursor);
      return content;
    };
    const lines = (await read('csv')).split('\r\n');
    expect(lines).toHaveLength(1502);
    expect(lines.filter((line) => line.startsWith('id,at,'))).toHaveLength(1);
    expect(lines[1]).toContain(`"'=cmd|x"`);
    const objects = (await read('json_lines')).trimEnd().split('\n');
    expect(new Set(objects.map((line) => (JSON.parse(line) as Entry).id)).size).toBe(1500);
  });

  it('is read by owners of the organization only', async () => {
    await globex.call('create_contact', { email: 'a@example.com' });
    expect(await list({ action: 'create_contact' })).toEqual([]);
    await switchboard.ownerQuery(
      `update memberships set role = 'member' where organization_id = $1`,
      [acme.id],
    );
    for (const tool of ['list_audit_log', 'export_audit_log']) {
      const { error } = await acme.call(tool, { format: 'csv' });
      expect(['forbidden', 'invalid_arguments']).toContain(error!.code);
    }
    const response = await callAsAgent('list_audit_log', {});
    expect(await response.text()).toContain('It is for signed-in people');
  });

  it('survives the deletion of its organization, until an operator deletes it', async () => {
    await acme.call('create_contact', { email: 'a@example.com' });
    await flush();
    const remove = `select private.delete_audit_log($1) as deleted`;
    await expect(switchboard.ownerQuery(remove, [acme.id])).rejects.toThrow('exists');
    const count = async (): Promise<unknown> =>
      await switchboard.ownerQuery(
        'select count(*)::int as n from audit_log where organization_id = $1',
        [acme.id],
      );
    const before = await count();
    await switchboard.ownerQuery('delete from organizations where id = $1', [acme.id]);
    expect(await count()).toEqual(before);
    const [removed] = await switchboard.ownerQuery<{ deleted: string }>(remove, [acme.id]);
    expect(Number(removed!.deleted)).toBeGreaterThan(2);
    expect(await count()).toEqual([{ n: 0 }]);
  });

  itSlow('stores a limited number of refused calls, and counts the rest', async () => {
    const began = performance.now();
    await Promise.all(Array.from({ length: 300 }, () => callAsAgent('no_such_tool', {})));
    const seconds = (performance.now() - began) / 1000;
    let rows: { action: string; unlogged: number }[] = [];
    // The number of unrecorded calls of a second is written after the end of that second.
    await waitFor(async () => {
      rows = await switchboard.ownerQuery<(typeof rows)[number]>(
        `select action, unlogged from audit_log
         where organization_id = $1 and action in ('no_such_tool', 'calls')`,
        [acme.id],
      );
      const refused = rows.filter(({ action }) => action === 'no_such_tool').length;
      return refused + rows.reduce((sum, { unlogged }) => sum + unlogged, 0) === 300;
    });
    // Each second adds at most 20 entries of calls, and one entry with the number of the other calls.
    expect(rows.length).toBeLessThanOrEqual(21 * (Math.floor(seconds) + 2));
  });
});

describe('list_calls', () => {
  it('returns every call with its outcome, duration, client and the text of its error', async () => {
    const response = await callAsAgent('search_contacts', {});
    await callAsAgent('create_contact', { email: 'nobody' });
    await acme.call('get_retention');
    const { calls } = (await acme.call<Calls>('list_calls')).value;
    expect(calls).toHaveLength(3);
    expect(calls.map(({ tool, outcome }) => [tool, outcome]).toReversed()).toEqual([
      ['search_contacts', 'ok'],
      ['create_contact', 'invalid_arguments'],
      ['get_retention', 'ok'],
    ]);
    expect(calls[2]).toMatchObject({
      caller_kind: 'key',
      client: 'probe/1.0',
      request_id: response.headers.get('x-request-id'),
      error: null,
      duration_ms: expect.any(Number),
    });
    expect(calls[1]!.error).toMatch(/email/);
    const request_id = response.headers.get('x-request-id');
    expect((await acme.call<Calls>('list_calls', { request_id })).value.calls).toEqual([calls[2]]);
    const { value } = await acme.call<Calls>('list_calls', { limit: 2, outcome: 'ok' });
    expect(value.calls.map(({ tool }) => tool)).toEqual(['list_calls', 'list_calls']);
    expect(value.next_cursor).not.toBeNull();
    expect((await globex.call<Calls>('list_calls')).value.calls).toEqual([]);
  });

  itSlow(
    'returns a bounded number of calls, and the number of the calls that it leaves out',
    async () => {
      await Promise.all(Array.from({ length: 100 }, () => callAsAgent('search_contacts', {})));
      await new Promise((resolve) => setTimeout(resolve, 1100));
      await flush();
      const { calls } = (await acme.call<Calls>('list_calls', { limit: 100 })).value;
      const rows = calls.filter(({ tool }) => tool === 'search_contacts').length;
      const unlogged = calls.reduce((sum, call) => sum + call.unlogged, 0);
      expect(rows + unlogged).toBe(100);
      expect(rows).toBeLessThan(100);
    },
  );
});
