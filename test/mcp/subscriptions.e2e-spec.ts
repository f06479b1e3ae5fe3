import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ChangeFeed, resourceChange } from '../../src/changes/change-feed.js';
import type { AuthenticatedKey } from '../../src/keys/keys.service.js';
import { Subscriptions } from '../../src/mcp/subscriptions/subscriptions.js';
import { ToolPolicies } from '../../src/policies/tool-policies.js';
import { createContact } from '../messaging/support.js';
import { type TestOrganization, createOrganization } from '../support/organization.js';
import { type Switchboard, startSwitchboard } from '../support/switchboard.js';
import { IS_THOROUGH, itSlow, sample } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, trigger } from '../workflows/support/workflow-client.js';
import { errorOf } from './support/answer.js';
import { Listening, type ListeningOptions, SUBSCRIPTION_ID } from './support/listening.js';
import { modernRequest, postModern } from './support/modern.js';
import { TASKS, getTask } from './support/task-client.js';

// The caller subscribes at one process, and changes happen in another. There are no workers, because workers listen for
// wake-ups too.
let here: Switchboard;
let there: Switchboard;
let acme: TestOrganization;
let globex: TestOrganization;
let open: Listening[] = [];
beforeAll(async () => {
  here = await startSwitchboard({ env: { ROLE: 'web', RATE_LIMIT_PER_MINUTE: '0' } });
  there = await startSwitchboard({ env: { ROLE: 'web' }, databaseUrl: here.databaseUrl });
  // The calls of both organizations go to the process `there`.
  acme = await createOrganization(there);
  globex = await createOrganization(there);
});
afterEach(async () => {
  for (const listening of open) listening.close();
  open = [];
  vi.useRealTimers();
  await nobodyListens();
});
afterAll(async () => {
  await there.close();
  await here.close();
});

const listen = async (
  notifications: object,
  options: ListeningOptions & { key?: string } = {},
): Promise<Listening> => {
  const listening = await Listening.to(here.url, options.key ?? acme.key, notifications, options);
  open.push(listening);
  return listening;
};
const refused = async (notifications: unknown, key = acme.key): Promise<Listening> => {
  const listening = await Listening.start(here.url, key, notifications);
  open.push(listening);
  return listening;
};
/** Waits until all subscriptions have ended. The feed keeps its connection only while there are subscriptions. */
const nobodyListens = (): Promise<unknown> =>
  waitFor(async () => {
    const found = await here.ownerQuery(
      `select from pg_stat_activity
       where datname = current_database() and application_name = 'switchboard listener'`,
    );
    return found.length === 0;
  });
const updated = (uri: string) => ({ method: 'notifications/resources/updated', uri });
const LIST_CHANGED = { method: 'notifications/tools/list_changed' };
const newRun = async (organization: TestOrganization): Promise<string> =>
  trigger(organization, (await createWorkflow(organization, [])).id);
const newContact = async (organization: TestOrganization) => {
  const { id } = await createContact(organization);
  let count = 0;
  return {
    uri: `switchboard://contacts/${id}`,
    change: async () => {
      count += 1;
      const given = { contact_id: id, first_name: `Ada ${count}` };
      expect((await organization.call('update_contact', given)).status).toBe(200);
    },
  };
};
const rotate = async (organization: TestOrganization): Promise<string> => {
  const created = await organization.fetch('/api/mcp/keys', { method: 'POST' });
  return ((await created.json()) as { api_key: string }).api_key;
};

describe('subscriptions/listen', () => {
  it.each(sample(['listen:0', '', 0, 42], 3))(
    'sends an acknowledgement first, and its id %j in every message',
    async (id) => {
      const { uri, change } = await newContact(acme);
      const listening = await listen(
        { toolsListChanged: true, resourceSubscriptions: [uri, uri] },
        { id },
      );
      const { statusCode, headers } = listening.response;
      expect(statusCode).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      });
      expect(listening.frames).toEqual([
        {
          jsonrpc: '2.0',
          method: 'notifications/subscriptions/acknowledged',
          params: {
            notifications: { toolsListChanged: true, resourceSubscriptions: [uri] },
            _meta: { [SUBSCRIPTION_ID]: id },
          },
        },
      ]);
      await change();
      there.app.get(ChangeFeed).publish(acme.id, { kind: 'tools' });
      await waitFor(() => listening.frames.length === 3);
      expect(listening.frames.slice(1)).toEqual([
        {
          jsonrpc: '2.0',
          method: 'notifications/resources/updated',
          params: { uri, _meta: { [SUBSCRIPTION_ID]: id } },
        },
        {
          jsonrpc: '2.0',
          method: 'notifications/tools/list_changed',
          params: { _meta: { [SUBSCRIPTION_ID]: id } },
        },
      ]);
    },
  );

  it('notifies of a run that changed in another process', async () => {
    const runId = await newRun(acme);
    const uri = `switchboard://runs/${runId}`;
    const listening = await listen(
      { resourceSubscriptions: [uri] },
      { accept: 'text/event-stream' },
    );
    await acme.call('cancel_run', { run_id: runId });
    await waitFor(() => listening.told.length > 0);
    expect(listening.told).toEqual([updated(uri)]);
  });

  it('notifies subscribers of all runs about a new run', async () => {
    const listening = await listen({ resourceSubscriptions: ['switchboard://runs'] });
    await newContact(acme);
    const runId = await newRun(acme);
    await waitFor(() => listening.told.length === 1);
    await acme.call('cancel_run', { run_id: runId });
    await waitFor(() => listening.told.length === 2);
    expect(listening.told).toEqual([updated('switchboard://runs'), updated('switchboard://runs')]);
  });

  it('notifies when a tool is hidden or shown in another process', async () => {
    const listening = await listen({ toolsListChanged: true });
    const list = async (): Promise<string> =>
      (await postModern(acme, modernRequest('tools/list'))).text;
    const policy = async (change: object): Promise<void> => {
      const given = { tool: 'search_contacts', ...change };
      expect((await acme.call('set_tool_policy', given)).status).toBe(200);
    };
    await policy({ confirmation: 'always' });
    await policy({ hidden: true });
    await waitFor(() => listening.told.length === 1);
    expect(await list()).not.toContain('"search_contacts"');
    await policy({ hidden: false });
    await waitFor(() => listening.told.length === 2);
    expect(await list()).toContain('"search_contacts"');
    expect(listening.told).toEqual([LIST_CHANGED, LIST_CHANGED]);
  });

  it('sends no notification of other topics', async () => {
    const [mine, other] = [await newContact(acme), await newContact(acme)];
    const resources = await listen({ resourceSubscriptions: [mine.uri] });
    const tools = await listen({ toolsListChanged: true, resourceSubscriptions: [] });
    expect(tools.frames[0]!.params!.notifications).toEqual({ toolsListChanged: true });
    await other.change();
    there.app.get(ChangeFeed).publish(acme.id, { kind: 'tools' });
    await waitFor(() => tools.told.length > 0);
    await mine.change();
    await waitFor(() => resources.told.length > 0);
    expect(resources.told).toEqual([updated(mine.uri)]);
    expect(tools.told).toEqual([LIST_CHANGED]);
  });

  it('sends no notification of another organization', async () => {
    const theirs = await newContact(globex);
    const mine = await newContact(acme);
    const listening = await listen({
      toolsListChanged: true,
      resourceSubscriptions: [theirs.uri, mine.uri],
    });
    await theirs.change();
    there.app.get(ChangeFeed).publish(globex.id, { kind: 'tools' });
    await mine.change();
    await waitFor(() => listening.told.length > 0);
    expect(listening.told).toEqual([updated(mine.uri)]);
  });

  it('does not subscribe to a resource that the organization hides', async () => {
    const [run, contact] = ['switchboard://runs/run_a', 'switchboard://contacts/con_a'];
    const policy = async (change: object): Promise<void> => {
      expect((await acme.call('set_tool_policy', { tool: 'get_run', ...change })).status).toBe(200);
    };
    await policy({ hidden: true });
    const listening = await listen({ resourceSubscriptions: [run, contact] });
    expect(listening.frames[0]!.params!.notifications).toEqual({
      resourceSubscriptions: [contact],
    });
    await policy({ hidden: false });
  });

  itSlow(
    'still notifies of a resource that is hidden later and can no longer be read',
    async () => {
      const { uri, change } = await newContact(acme);
      const listening = await listen({ resourceSubscriptions: [uri] });
      const hide = async (hidden: boolean): Promise<void> => {
        const given = { tool: 'get_contact', hidden };
        expect((await acme.call('set_tool_policy', given)).status).toBe(200);
      };
      await hide(true);
      await change();
      await waitFor(() => listening.told.length > 0);
      expect(listening.told).toEqual([updated(uri)]);
      const { body } = await postModern(acme, modernRequest('resources/read', { uri }));
      await hide(false);
      expect(body).toMatchObject({ error: { code: -32602, data: { uri } } });
    },
  );

  it('leaves out unknown topics, and ends immediately if no topic is left', async () => {
    const { uri } = await newContact(acme);
    const other = [
      'switchboard://planets/1',
      'https://example.com/',
      'switchboard://runs/',
      'größe',
    ];
    const some = await listen({
      promptsListChanged: true,
      resourcesListChanged: true,
      toolsListChanged: false,
      unheardOf: 1,
      resourceSubscriptions: [...other, uri],
    });
    expect(some.frames[0]!.params!.notifications).toEqual({ resourceSubscriptions: [uri] });
    expect(some.ended).toBe(false);
    const none = await listen(
      { promptsListChanged: true, resourceSubscriptions: other },
      { id: 7 },
    );
    expect(none.frames[0]!.params!.notifications).toEqual({});
    expect(await none.untilEnded()).toEqual(completed(7));
  });

  it.each([
    ['no filter', undefined],
    ['null', null],
    ['a list', []],
    ['a text for a boolean', { toolsListChanged: 'yes' }],
    ['null for a boolean', { toolsListChanged: null }],
    ['a text for a list', { resourceSubscriptions: 'switchboard://runs/a' }],
    ['a list of numbers', { resourceSubscriptions: [1] }],
    ['a text that is too long', { resourceSubscriptions: ['a'.repeat(2001)] }],
    ['a list of numbers for tasks', { taskIds: [1] }],
    ['too many', { resourceSubscriptions: Array.from({ length: 101 }, (_, i) => `a${i}`) }],
  ])('refuses %s', async (_case, notifications) => {
    const listening = await refused(notifications);
    expect(await listening.body()).toEqual(errorOf(-32602, 1));
    expect(listening.response.headers['content-type']).toBe('application/json');
    expect(listening.response.statusCode).toBe(200);
  });

  it('exists in MCP 2026-07-28 only', async () => {
    const plain = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: {} };
    for (const headers of [undefined, { 'MCP-Protocol-Version': '2025-11-25' }]) {
      expect(await (await acme.rpc(plain, headers)).json()).toEqual(errorOf(-32601, 1));
    }
    const { body } = await postModern(acme, modernRequest('server/discover'));
    expect(body).toMatchObject({
      result: { capabilities: { tools: { listChanged: true }, resources: { subscribe: true } } },
    });
  });
});

describe('a subscribed task', () => {
  const hideTrigger = async (hidden: boolean): Promise<void> => {
    const given = { tool: 'trigger_workflow', hidden };
    expect((await acme.call('set_tool_policy', given)).status).toBe(200);
  };
  const statusOf = async (taskId: string): Promise<object> => {
    const { resultType: _, ...task } = await getTask(acme, taskId);
    return { method: 'notifications/tasks', ...task, _meta: undefined };
  };

  it('is sent with the members of tasks/get at the start and after each change', async () => {
    const [own, foreign] = [await newRun(acme), await newRun(globex)];
    const unknown = ['', 'run_unknown', 'a\0b'];
    const filter = { taskIds: [...unknown, foreign, own], toolsListChanged: true };
    const before = await statusOf(own);
    const listening = await listen(filter, { capabilities: TASKS });
    expect(listening.frames[0]!.params!.notifications).toEqual({
      toolsListChanged: true,
      taskIds: [own],
    });
    await waitFor(() => listening.told.length === 1);
    expect(listening.told[0]).toEqual(before);
    await globex.call('cancel_run', { run_id: foreign });
    await acme.call('cancel_run', { run_id: own });
    await waitFor(() => listening.told.length === 2);
    expect(listening.told[1]).toMatchObject({ taskId: own, status: 'cancelled' });
    expect(listening.told[1]).toEqual(await statusOf(own));
  });

  it('is refused to a client without the Tasks extension', async () => {
    const listening = await refused({ taskIds: [await newRun(acme)] });
    expect(await listening.body()).toMatchObject({ id: 1, error: { code: -32021 } });
    expect(listening.response.statusCode).toBe(400);
  });

  itSlow('is no longer sent after its tool is hidden', async () => {
    const runId = await newRun(acme);
    const uri = `switchboard://runs/${runId}`;
    const filter = { taskIds: [runId], resourceSubscriptions: [uri] };
    const listening = await listen(filter, { capabilities: TASKS });
    await waitFor(() => listening.told.length === 1);
    await hideTrigger(true);
    await acme.call('cancel_run', { run_id: runId });
    await waitFor(() => listening.told.length === 2);
    expect(listening.told[1]).toEqual(updated(uri));
    await hideTrigger(false);
    await acme.call('retry_run', { run_id: runId });
    await waitFor(() => listening.told.length === 4);
    expect(listening.told.slice(2)).toEqual([updated(uri), await statusOf(runId)]);
  });
});

describe('an open subscription', () => {
  itSlow('reports its list and all its resources as changed after the feed broke', async () => {
    const [first, second] = [await newContact(acme), await newContact(acme)];
    const uris = [first.uri, second.uri];
    const listening = await listen({ toolsListChanged: true, resourceSubscriptions: uris });
    await here.ownerQuery(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'switchboard listener'`,
    );
    await waitFor(() => listening.told.length === 3);
    expect(listening.told).toEqual([LIST_CHANGED, ...uris.map(updated)]);
    await first.change();
    await waitFor(() => listening.told.length === 4);
    expect(listening.told.at(-1)).toEqual(updated(first.uri));
  });

  it('ends when its key is replaced or revoked in another process', async () => {
    const initech = await createOrganization(there);
    const { uri, change } = await newContact(initech);
    const old = await listen({ resourceSubscriptions: [uri] }, { key: initech.key });
    const bystander = await listen({ toolsListChanged: true });
    const key = await rotate(initech);
    expect(await old.untilEnded()).toEqual(errorOf(1401, 1));
    const renewed = await listen({ resourceSubscriptions: [uri] }, { key });
    await change();
    await waitFor(() => renewed.told.length > 0);
    await initech.fetch('/api/mcp/keys', { method: 'DELETE' });
    expect(await renewed.untilEnded()).toEqual(errorOf(1401, 1));
    expect(old.told).toHaveLength(1);
    expect(bystander.ended).toBe(false);
  });

  itSlow('sends keep-alive comments and checks its key at intervals', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const initech = await createOrganization(there);
    const listening = await listen({ toolsListChanged: true }, { key: initech.key });
    const bystander = await listen({ toolsListChanged: true });
    vi.advanceTimersByTime(15_000);
    await waitFor(() => listening.comments.length > 0);
    expect(listening.comments).toEqual([': still here']);
    expect(listening.ended).toBe(false);
    // Simulates a lost notification.
    await here.ownerQuery(`update api_keys set revoked_at = now() where organization_id = $1`, [
      initech.id,
    ]);
    vi.advanceTimersByTime(15_000);
    expect(await listening.untilEnded()).toEqual(errorOf(1401, 1));
    expect(bystander.ended).toBe(false);
  });

  it('does not start with a key that is revoked during the set-up', async () => {
    const key = keyOf('key_gone', acme.id);
    const stream = { notify: vi.fn(), waitUntilDrained: async () => undefined };
    const served = here.app.get(Subscriptions, { strict: false }).serve({
      id: 1,
      key,
      stream,
      gone: new AbortController().signal,
      topics: [],
      honored: {},
    });
    await expect(served).rejects.toMatchObject({ code: 1401 });
    expect(stream.notify).not.toHaveBeenCalled();
  });

  // This test fills the send buffers of the system, which takes seconds of processor time.
  it.runIf(IS_THOROUGH)(
    'keeps at most one notification of each resource for a caller that does not read',
    async () => {
      let response: ServerResponse | undefined;
      here.app.getHttpServer().once('request', (_request, answer: ServerResponse) => {
        response = answer;
      });
      // Long names fill the send buffers of the system quickly.
      const ids = Array.from({ length: 100 }, (_, index) => `${index}_${'x'.repeat(1900)}`);
      const uris = ids.map((id) => `switchboard://runs/${id}`);
      const listening = await listen({ resourceSubscriptions: uris });
      listening.response.pause();
      const feed = there.app.get(ChangeFeed);
      const changeAll = (): void =>
        ids.forEach((id) => feed.publish(acme.id, resourceChange('runs', id)));
      await waitFor(() => {
        changeAll();
        return response!.writableNeedDrain;
      });
      const buffered = response!.writableLength;
      for (let round = 0; round < 20; round += 1) {
        changeAll();
        await here.ownerQuery('select pg_sleep(0.02)');
      }
      expect(response!.writableLength).toBe(buffered);
      // The stream may buffer one write above the high-water mark of Node.js.
      expect(buffered).toBeLessThan(response!.writableHighWaterMark + 5000);
      listening.response.resume();
      const last = await newContact(acme);
      const marker = await listen({ resourceSubscriptions: [last.uri] });
      await last.change();
      await waitFor(() => marker.told.length > 0);
      await waitFor(() => response!.writableLength === 0);
      const before = listening.told.length;
      changeAll();
      await waitFor(() => listening.told.length >= before + 100);
      expect(
        new Set(listening.told.slice(-100).map((one) => (one as { uri: string }).uri)).size,
      ).toBe(100);
    },
  );

  itSlow('ends with a result when its service stops', async () => {
    const stopping = await startSwitchboard({
      env: { ROLE: 'web' },
      databaseUrl: here.databaseUrl,
    });
    const listening = await Listening.to(
      stopping.url,
      acme.key,
      { toolsListChanged: true },
      { id: 's' },
    );
    // This is the first phase of a stop, in which connections are still accepted.
    stopping.app.get(Subscriptions, { strict: false }).onModuleDestroy();
    expect(await listening.untilEnded()).toEqual(completed('s'));
    const late = await Listening.start(stopping.url, acme.key, { toolsListChanged: true });
    expect(await late.body()).toEqual(errorOf(1503, 1));
    await stopping.close();
  });
});

describe('too many subscriptions', () => {
  it('of one organization are refused until one of its subscriptions ends, and other organizations are not affected', async () => {
    await Promise.all(Array.from({ length: 64 }, () => listen({ toolsListChanged: true })));
    const one = await refused({ toolsListChanged: true });
    expect(await one.body()).toEqual(errorOf(1429, 1));
    await listen({ toolsListChanged: true }, { key: globex.key });
    open[0]!.close();
    await waitFor(async () => {
      const again = await refused({ toolsListChanged: true });
      return again.response.headers['content-type'] === 'text/event-stream';
    });
  });

  itSlow('are refused to every organization when one process has 1,024 subscriptions', async () => {
    const organizations = Array.from({ length: 16 }, (_, index) => `org_full_${index}`);
    await here.ownerQuery(
      `insert into organizations (id, name) select id, id from unnest($1::text[]) as n (id)`,
      [organizations],
    );
    await here.ownerQuery(
      `insert into api_keys (organization_id, id, hash, prefix, last_four)
       select id, 'key_' || id, sha256(('key_' || id)::bytea), 'swb_full', 'full' from unnest($1::text[]) as n (id)`,
      [organizations],
    );
    const end = new AbortController();
    const { acknowledged, served } = serveMany(organizations, end.signal);
    await waitFor(() => acknowledged() === 1024);
    expect(await (await refused({ toolsListChanged: true })).body()).toEqual(errorOf(1429, 1));
    end.abort();
    await Promise.allSettled(served);
    await listen({ toolsListChanged: true });
  });
});

it('a subscription is refused while the database is not available', async () => {
  const database = new URL(here.databaseUrl).pathname.slice(1);
  await here.ownerQuery(`alter database ${database} connection limit 0`);
  expect(await (await refused({ toolsListChanged: true })).body()).toEqual(errorOf(1503, 1));
  await here.ownerQuery(`alter database ${database} connection limit -1`);
  await listen({ toolsListChanged: true });
});

describe('the official client of generation 2', () => {
  const connect = async (switchboard: Switchboard): Promise<Client> => {
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${switchboard.url}/api/mcp`), {
        requestInit: { headers: { Authorization: `Bearer ${acme.key}` } },
      }),
    );
    return client;
  };

  it('subscribes, receives notifications and unsubscribes', async () => {
    const { uri, change } = await newContact(acme);
    const client = await connect(here);
    const heard: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      heard.push(params.uri);
    });
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      heard.push('tools');
    });
    const filter = { toolsListChanged: true, resourceSubscriptions: [uri] };
    const subscription = await client.listen({ ...filter, promptsListChanged: true });
    expect(subscription.honoredFilter).toEqual(filter);
    await change();
    await waitFor(() => heard.includes(uri));
    there.app.get(ChangeFeed).publish(acme.id, { kind: 'tools' });
    await waitFor(() => heard.includes('tools'));
    await subscription.close();
    expect(await subscription.closed).toBe('local');
    await nobodyListens();
    await client.close();
  });

  itSlow('is notified when the service stops, and gets the reason of a refusal', async () => {
    const stopping = await startSwitchboard({
      env: { ROLE: 'web' },
      databaseUrl: here.databaseUrl,
    });
    const client = await connect(stopping);
    await expect(
      client.listen({ resourceSubscriptions: ['a'.repeat(2001)] }),
    ).rejects.toMatchObject({ code: -32602 });
    const subscription = await client.listen({ toolsListChanged: true });
    await stopping.close();
    expect(await subscription.closed).toBe('graceful');
    await client.close();
  });
});

function completed(id: unknown): object {
  return {
    jsonrpc: '2.0',
    id,
    result: {
      resultType: 'complete',
      _meta: {
        [SUBSCRIPTION_ID]: id,
        'io.modelcontextprotocol/serverInfo': expect.objectContaining({
          name: 'switchboard',
        }) as object,
      },
    },
  };
}

function keyOf(id: string, organizationId: string): AuthenticatedKey {
  const hash = createHash('sha256').update(id).digest();
  return {
    id,
    organizationId,
    hash,
    toolPolicies: ToolPolicies.NONE,
    offeredToolsRevision: '',
    lookedUpAt: performance.now(),
    isUseStale: false,
  };
}

/** Opens 64 subscriptions for each organization, without connections. */
function serveMany(organizations: readonly string[], gone: AbortSignal) {
  const subscriptions = here.app.get(Subscriptions, { strict: false });
  let count = 0;
  const stream = { notify: () => void (count += 1), waitUntilDrained: async () => undefined };
  const topics = [{ key: 'none', notification: () => ({ method: 'none' }) }];
  const served = organizations.flatMap((organizationId) =>
    Array.from({ length: 64 }, (_, id) => {
      const key = keyOf(`key_${organizationId}`, organizationId);
      return subscriptions.serve({ id, key, stream, gone, topics, honored: {} });
    }),
  );
  for (const one of served) one.catch(() => undefined);
  return { acknowledged: () => count, served };
}
