import { once } from 'node:events';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { PinoLogger } from '../../src/operations/pino-logger.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { modernHeaders, modernRequest, postModern } from './support/modern.js';
import { ProtocolTools } from './support/protocol.tools.js';
import { tracesOf } from './support/traces.js';

let switchboard: Switchboard;
let acme: TestOrganization;
let tools: ProtocolTools;
const logged = vi.spyOn(PinoLogger.prototype, 'error');

beforeAll(async () => {
  switchboard = await startSwitchboard({ providers: [ProtocolTools] });
  acme = await createOrganization(switchboard);
  tools = switchboard.app.get(ProtocolTools);
});
beforeEach(() => {
  logged.mockClear();
});
afterAll(() => switchboard.close());

const call = (name: string, text: string) =>
  modernRequest('tools/call', { name, arguments: { text } });

/** Sends a call, waits until its tool runs, and disconnects. Resolves after the server has closed the connection. */
async function abandon(
  message: object,
  text: string,
  headers: Record<string, string> = modernHeaders(message),
): Promise<Socket> {
  const server = switchboard.app.getHttpServer();
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const outgoing = request(`${switchboard.url}/api/mcp`, {
    method: 'POST',
    agent: false,
    headers: {
      Authorization: `Bearer ${acme.key}`,
      'Content-Type': 'application/json',
      ...headers,
    },
  });
  outgoing.on('error', () => undefined).end(JSON.stringify(message));
  const [socket] = await connected;
  await waitFor(() => tools.isWaiting(text));
  expect(tools.signalOf(text)?.aborted).toBe(false);
  const closed = once(socket, 'close');
  outgoing.destroy();
  await closed;
  return socket;
}

/** Waits until no transaction is open in the database. */
async function transactionsEnded(): Promise<void> {
  await waitFor(async () => {
    const open = await switchboard.ownerQuery(
      `select 1 from pg_locks l join pg_stat_activity a using (pid)
       where a.datname = current_database() and l.locktype = 'virtualxid'
         and a.pid <> pg_backend_pid()`,
    );
    return open.length === 0;
  });
}

describe('a modern call whose caller disconnects', () => {
  it.each(['slow_note', 'deaf_note'])('is rolled back: %s', async (name) => {
    const text = `abandoned ${name}`;
    const socket = await abandon(call(name, text), text);
    await waitFor(() => tools.signalOf(text)?.aborted);
    tools.release(text);
    await transactionsEnded();
    expect(await tracesOf(switchboard, acme)).not.toContain(text);
    expect(socket.bytesWritten).toBe(0);
    expect(logged).not.toHaveBeenCalled();
  });

  it('keeps its audit log row after an external effect', async () => {
    const text = 'left the house';
    await abandon(call('outside_note', text), text);
    await waitFor(() => tools.signalOf(text)?.aborted);
    tools.release(text);
    await waitFor(async () => (await tracesOf(switchboard, acme)).includes(text));
    expect(logged).not.toHaveBeenCalled();
  });

  it('can be repeated', async () => {
    await abandon(call('slow_note', 'again'), 'again');
    const first = tools.signalOf('again');
    await waitFor(() => first?.aborted);
    tools.release('again');
    await transactionsEnded();
    const second = postModern(acme, call('slow_note', 'again'));
    await waitFor(() => tools.signalOf('again') !== first);
    tools.release('again');
    expect(await second).toMatchObject({
      status: 200,
      body: { result: { resultType: 'complete' } },
    });
    expect((await tracesOf(switchboard, acme)).filter((text) => text === 'again')).toHaveLength(1);
  });
});

it('a call is not canceled by the end of its own response', async () => {
  const message = call('deaf_note', 'answered');
  const answer = postModern(acme, message, { Connection: 'close' });
  await waitFor(() => tools.isWaiting('answered'));
  tools.release('answered');
  expect(await answer).toMatchObject({ status: 200 });
  expect(tools.signalOf('answered')?.aborted).toBe(false);
});

describe.each([undefined, '2024-11-05', '2025-11-25'])(
  'a call with MCP-Protocol-Version %s whose caller disconnects',
  (version) => {
    it.each(['single', 'batch'])('runs to its end: %s', async (form) => {
      const text = `kept ${version} ${form}`;
      const params = { name: 'slow_note', arguments: { text } };
      const single = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      const message = form === 'single' ? single : [single];
      await abandon(message, text, version ? { 'MCP-Protocol-Version': version } : {});
      // A cancellation aborts the signal in the turn of the event loop in which the connection ends. So the test waits
      // for one more turn.
      await new Promise((resolve) => setImmediate(resolve));
      expect(tools.signalOf(text)?.aborted).toBe(false);
      tools.release(text);
      await waitFor(async () => (await tracesOf(switchboard, acme)).includes(text));
    });
  },
);
