import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ChangeFeed } from '../../src/changes/change-feed.js';
import { createContact, send } from '../messaging/support.js';
import { type TestOrganization, createOrganization } from '../support/organization.js';
import { type Switchboard, startSwitchboard } from '../support/switchboard.js';
import {
  createWorkflow,
  postWebhook,
  runUntil,
  trigger,
} from '../workflows/support/workflow-client.js';
import { EventReader } from './event-reader.js';

// The browser is connected to the process `here`. Calls and runs are executed by the process `there`.
let here: Switchboard;
let there: Switchboard;
let acme: TestOrganization;
let globex: TestOrganization;
let open: EventReader[] = [];
beforeAll(async () => {
  here = await startSwitchboard({ env: { ROLE: 'web' } });
  there = await startSwitchboard({ env: { ROLE: 'all' }, databaseUrl: here.databaseUrl });
  acme = await createOrganization(there);
  globex = await createOrganization(there);
});
afterEach(() => {
  for (const reader of open.splice(0)) reader.close();
});
afterAll(async () => {
  await there.close();
  await here.close();
});

const start = async (
  headers: Record<string, string>,
  url = here.url,
  method = 'GET',
): Promise<EventReader> => {
  const reader = await EventReader.start(url, headers, method);
  open.push(reader);
  return reader;
};
const connect = async (cookie = acme.cookie, url = here.url): Promise<EventReader> => {
  const reader = await start({ Cookie: cookie }, url);
  await reader.waitForEvent('ready');
  return reader;
};
/** Starts one more session of the owner. */
const signIn = async ({ email, password }: TestOrganization): Promise<string> => {
  const response = await fetch(`${there.url}/api/auth/sign-in`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  return response.headers.getSetCookie()[0]!.split(';')[0]!;
};
const steps = [{ id: 'wait', wait: { seconds: 1 } }];

describe('GET /api/changes', () => {
  it('refuses requests without a session, with an API key, and of another origin', async () => {
    expect((await start({})).status).toBe(401);
    expect((await start({ Authorization: `Bearer ${acme.key}` })).status).toBe(401);
    expect((await start({ Cookie: 'switchboard=s%3Aforged.signature' })).status).toBe(401);
    const foreign = await start({ Cookie: acme.cookie, Origin: 'https://evil.example' });
    expect(foreign.status).toBe(403);
  });

  it('is a stream of events that no cache may store', async () => {
    const { response } = await connect();
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    });
    const head = await start({ Cookie: acme.cookie }, here.url, 'HEAD');
    expect(head.status).toBe(200);
    await head.untilEnded();
  });

  it('names each resource that changes in another process, and sends no data of the resource', async () => {
    const reader = await connect();
    const contact = await createContact(acme, { first_name: 'Canary' });
    const message = await send(acme, { contact_id: contact.id, body: 'Canary' });
    const { id: workflowId } = await createWorkflow(acme, steps);
    const runId = await trigger(acme, workflowId, { secret: 'Canary' });
    await runUntil(acme, runId, 'succeeded');
    await postWebhook(there, workflowId, { secret: 'Canary' });
    await acme.fetch('/api/mcp/keys', { method: 'POST' });
    await acme.call('set_tool_policy', { tool: 'delete_contact', hidden: true });
    for (const name of [
      `contacts ${contact.id}`,
      `messages ${message.id}`,
      `workflows ${workflowId}`,
      `runs ${runId}`,
      `deliveries ${workflowId}`,
      'keys',
      'tools',
    ]) {
      await reader.waitForName(name);
    }
    expect(JSON.stringify(reader.events)).not.toContain('Canary');
  });

  it.each(['update_workflow', 'activate_workflow', 'deactivate_workflow', 'delete_workflow'])(
    'names a workflow that %s changed',
    async (tool) => {
      const { id } = await createWorkflow(acme, steps);
      const reader = await connect();
      await acme.call(tool, {
        workflow_id: id,
        ...(tool === 'update_workflow' && { name: 'New' }),
      });
      await reader.waitForName(`workflows ${id}`);
    },
  );

  it('names a call that waits for a person, and names it again when the person answers', async () => {
    // An earlier test has revoked the first key of the organization.
    const created = await acme.fetch('/api/mcp/keys', { method: 'POST' });
    const { api_key: key } = (await created.json()) as { api_key: string };
    await acme.call('set_tool_policy', { tool: 'create_contact', confirmation: 'always' });
    const reader = await connect();
    const params = { name: 'create_contact', arguments: { email: 'waits@example.com' } };
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    await acme.rpc(call, { Authorization: `Bearer ${key}` });
    const { value } = await acme.call<{ confirmations: { id: string }[] }>('list_confirmations');
    const { id } = value.confirmations[0]!;
    await reader.waitForName(`confirmations ${id}`);
    const again = await connect();
    await acme.call('decline_confirmation', { confirmation_id: id });
    await again.waitForName(`confirmations ${id}`);
    await acme.call('set_tool_policy', { tool: 'create_contact', confirmation: 'never' });
  });

  it('names no resource of other organizations', async () => {
    const reader = await connect(globex.cookie);
    const { id } = await createContact(acme);
    const { id: own } = await createContact(globex);
    await reader.waitForName(`contacts ${own}`);
    expect(reader.names).not.toContain(`contacts ${id}`);
  });

  it('sends a gap to a browser that connects again, and after the feed has lost its connection', async () => {
    const first = await connect();
    expect(first.events.map(({ event }) => event)).toEqual(['ready']);
    const again = await start({ Cookie: acme.cookie, 'Last-Event-ID': '7' });
    await again.waitForEvent('gap');
    expect(again.events.map(({ event }) => event)).toEqual(['ready', 'gap']);
    await here.ownerQuery(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'switchboard listener'`,
    );
    await first.waitForEvent('gap');
  });
});

describe('the session of a stream', () => {
  it('ends the stream when the session is signed out in another process, and only that stream', async () => {
    const cookie = await signIn(acme);
    const [ended, other] = [await connect(cookie), await connect()];
    await fetch(`${there.url}/api/auth/sign-out`, {
      method: 'POST',
      headers: { Cookie: cookie, Origin: there.url },
    });
    await ended.untilEnded();
    expect(ended.events.at(-1)).toEqual({ event: 'end', data: { reason: 'session_ended' } });
    expect((await start({ Cookie: cookie })).status).toBe(401);
    const { id } = await createContact(acme);
    await other.waitForName(`contacts ${id}`);
  });

  it('ends the stream when the session expires, and is not prolonged by the end of the stream', async () => {
    const cookie = await signIn(globex);
    const reader = await connect(cookie);
    await here.ownerQuery(
      `update gate.sessions set expire = now() - interval '1 second'
       where sess -> 'passport' -> 'user' ->> 'organizationId' = $1`,
      [globex.id],
    );
    there.app.get(ChangeFeed).publish(globex.id, { kind: 'sessions' });
    await reader.untilEnded();
    expect(reader.events.at(-1)).toEqual({ event: 'end', data: { reason: 'session_ended' } });
    expect((await start({ Cookie: cookie })).status).toBe(401);
    globex = await createOrganization(there);
  });

  it('ends the stream when the person leaves the organization', async () => {
    const leaving = await createOrganization(there);
    const reader = await connect(leaving.cookie);
    await here.ownerQuery('delete from memberships where organization_id = $1', [leaving.id]);
    there.app.get(ChangeFeed).publish(leaving.id, { kind: 'sessions' });
    await reader.untilEnded();
  });
});

describe('the number of streams', () => {
  it('is limited to 8 for a session and 64 for an organization, until a stream is closed', async () => {
    const sessions = await Promise.all(Array.from({ length: 8 }, () => signIn(acme)));
    for (const cookie of sessions) {
      await Promise.all(Array.from({ length: 8 }, () => connect(cookie)));
    }
    const refused = await start({ Cookie: await signIn(acme) });
    expect(refused.status).toBe(429);
    expect(refused.response.headers['retry-after']).toBe('5');
    await connect(globex.cookie);
    open[0]!.close();
    open[8]!.close();
    await connectSoon(sessions[0]!);
    expect((await start({ Cookie: sessions[0]! })).status).toBe(429);
  });
});

/** Tries to connect until the process has noticed the end of another stream, and accepts a new stream. */
async function connectSoon(cookie: string): Promise<void> {
  for (;;) {
    const reader = await start({ Cookie: cookie });
    if (reader.status === 200) return;
  }
}

it('a process that stops ends its streams, and does not wait for them', async () => {
  const stopping = await startSwitchboard({
    env: { ROLE: 'web' },
    databaseUrl: here.databaseUrl,
  });
  const reader = await connect(acme.cookie, stopping.url);
  await stopping.close();
  await reader.untilEnded();
  expect(reader.events.at(-1)).toEqual({ event: 'end', data: { reason: 'stopping' } });
});
