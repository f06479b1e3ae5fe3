import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { CallTurns } from '../../src/http/call-turns.js';
import { postJson } from '../support/post-json.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { createWorkflow, postWebhook } from '../workflows/support/workflow-client.js';

const CONNECTIONS = 1000;
const CALLS = 5;

describe('a call of an organization', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;
  let globex: TestOrganization;
  let unsigned: string;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
    globex = await createOrganization(switchboard);
    const { id } = await createWorkflow(acme, [], { trigger: { type: 'webhook', secret: true } });
    unsigned = requestText(switchboard, `/api/webhooks/workflow/${id}`, []);
  });

  it('is answered before most of a thousand calls of another organization', async () => {
    const calls = ping(switchboard, acme);
    const meanwhile = await countAnswers(switchboard, calls, 200, ping(switchboard, globex));
    expect(meanwhile).toBeLessThan(CONNECTIONS / 2);
  });

  it('is answered before most of a thousand requests of a signed-in person of another organization', async () => {
    const requests = [
      'HEAD /api/openapi.json HTTP/1.1',
      `Host: ${new URL(switchboard.url).host}`,
      `Cookie: ${acme.cookie}`,
      '\r\n',
    ].join('\r\n');
    const meanwhile = await countAnswers(switchboard, requests, 200, ping(switchboard, globex));
    expect(meanwhile).toBeLessThan(CONNECTIONS / 2);
  });

  it('is answered before most of a thousand unsigned deliveries to a webhook of another organization', async () => {
    const meanwhile = await countAnswers(switchboard, unsigned, 401, ping(switchboard, globex));
    expect(meanwhile).toBeLessThan(CONNECTIONS / 4);
  });

  it('is answered before most of a thousand unsigned deliveries to a webhook of its own organization', async () => {
    const meanwhile = await countAnswers(switchboard, unsigned, 401, ping(switchboard, acme));
    expect(meanwhile).toBeLessThan(CONNECTIONS / 4);
  });
});

describe('a body', () => {
  const BODY = JSON.stringify({ text: 'x' });
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });
  afterEach(() => vi.restoreAllMocks());

  it.each([
    ['the endpoint for agents', '/api/mcp', 'key'],
    ['the endpoint for events', '/api/events', 'key'],
    ['a tool that a person calls', '/api/tools/list_runs', 'session'],
    ['the endpoint for new API keys', '/api/mcp/keys', 'session'],
  ])(
    'takes a turn of its organization after it has arrived: %s',
    async (_name, path, credential) => {
      const take = vi.spyOn(switchboard.app.get(CallTurns), 'takeForBody');
      const headers = { 'Content-Type': 'application/json' };
      const request = { method: 'POST', body: BODY, headers };
      if (credential === 'session') await acme.fetch(path, request);
      else {
        const authorized = { ...headers, Authorization: `Bearer ${acme.key}` };
        await fetch(`${switchboard.url}${path}`, { ...request, headers: authorized });
      }
      expect(take.mock.calls).toEqual([[acme.id, BODY.length]]);
    },
  );

  it.each(['sign-up', 'sign-in', 'password'])(
    'takes a turn of its network before a stranger is known: /api/auth/%s',
    async (path) => {
      const take = vi.spyOn(switchboard.app.get(CallTurns), 'takeForUnverifiedBody');
      const response = await postJson(`${switchboard.url}/api/auth/${path}`, BODY);
      expect(response.ok).toBe(false);
      // Deliveries of the earlier tests may still wait for their turns.
      const calls = take.mock.calls.filter(([place]) => place === 'accounts');
      expect(calls).toEqual([['accounts', '127.0.0.1', BODY.length]]);
    },
  );

  it('takes a turn of its organization and network before its signature is checked', async () => {
    const take = vi.spyOn(switchboard.app.get(CallTurns), 'takeForUnverifiedBody');
    const { id } = await createWorkflow(acme, [], { trigger: { type: 'webhook', secret: true } });
    expect((await postWebhook(switchboard, id, BODY)).status).toBe(401);
    // Deliveries of the earlier tests may still wait for their turns.
    const calls = take.mock.calls.filter(([organizationId]) => organizationId === acme.id);
    expect(calls).toEqual([[acme.id, '127.0.0.1', BODY.length]]);
  });
});

/**
 * Sends a request on a thousand connections, and again after each response, so that a thousand requests are always
 * open. Returns the average number of these requests that are answered during one call.
 */
async function countAnswers(
  { url }: RunningSwitchboard,
  flood: string,
  status: number,
  call: string,
): Promise<number> {
  const caller = await open(url);
  const sockets: Socket[] = [];
  for (let count = 0; count < CONNECTIONS; count += 1) sockets.push(await open(url));
  let answers = 0;
  for (const socket of sockets) {
    socket.on('data', (data) => {
      expect(data.toString('latin1', 0, 12)).toBe(`HTTP/1.1 ${status}`);
      answers += 1;
      socket.write(flood);
    });
    socket.write(flood);
  }
  while (answers < CONNECTIONS) await once(sockets[0]!, 'data');

  const before = answers;
  for (let count = 0; count < CALLS; count += 1) {
    caller.write(call);
    const [data] = (await once(caller, 'data')) as [Buffer];
    expect(data.toString('latin1', 0, 12)).toBe('HTTP/1.1 200');
  }
  const meanwhile = answers - before;
  for (const socket of [...sockets, caller]) socket.destroy();
  return meanwhile / CALLS;
}

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

function ping(switchboard: RunningSwitchboard, { key }: TestOrganization): string {
  return requestText(switchboard, '/api/mcp', [`Authorization: Bearer ${key}`]);
}

/**
 * Returns an HTTP request. The endpoint for agents treats the request as a call of `ping`, and a webhook treats it as a
 * delivery.
 */
function requestText(
  { url }: RunningSwitchboard,
  path: string,
  headers: readonly string[],
): string {
  const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  return [
    `POST ${path} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    ...headers,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}
