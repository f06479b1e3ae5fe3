import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sink, startSink } from '../outbound/support/sink.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, getRun, runToEnd, trigger } from './support/workflow-client.js';

const MIB = 1024 * 1024;
/** The number of files of the largest size that fit into half of the memory. */
const SHARE = 3;
const HEAD =
  'HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 5000000\r\n\r\n';

/**
 * Runs a server that reads no bodies. It answers a GET request with only a part of a file. It answers no other
 * requests.
 */
async function startStuck(): Promise<{ server: Server; port: number; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.once('data', (bytes) => {
      socket.pause();
      if (bytes.toString('latin1').startsWith('GET ')) {
        socket.write(Buffer.concat([Buffer.from(HEAD), Buffer.alloc(1.5 * MIB)]));
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port, sockets };
}

describe('the memory for files of http_request', () => {
  let switchboard: Switchboard;
  let sink: Sink;
  let stuck: Awaited<ReturnType<typeof startStuck>>;

  beforeAll(async () => {
    stuck = await startStuck();
    sink = await startSink('127.0.0.1', ({ method }, response) => {
      const headers = { 'Content-Type': 'application/octet-stream' };
      if (method === 'GET') response.writeHead(200, headers).end(randomBytes(2 * MIB));
      else response.writeHead(200).end();
    });
    const OUTBOUND_ALLOW = `127.0.0.1:${sink.port},127.0.0.1:${stuck.port}`;
    switchboard = await startSwitchboard({ env: { OUTBOUND_ALLOW } });
  });
  afterAll(async () => {
    for (const socket of stuck.sockets) socket.destroy();
    await switchboard.close();
    await sink.close();
    stuck.server.close();
  });

  const upload = async (organization: TestOrganization, bytes: number): Promise<string> => {
    const response = await organization.fetch('/api/files', {
      method: 'POST',
      headers: { 'Content-Type': 'application/octet-stream' },
      body: Buffer.alloc(bytes, 1),
    });
    return ((await response.json()) as { file: { id: string } }).file.id;
  };
  const workflow = async (organization: TestOrganization, port: number, given: object) => {
    const request = { url: `http://127.0.0.1:${port}/file`, ...given };
    const step = {
      id: 'call',
      tool: 'http_request',
      arguments: request,
      ...(port === stuck.port && { timeout: 300 }),
    };
    const steps = [{ ...step, retry: { max_attempts: 1 } }];
    return (await createWorkflow(organization, steps, { trigger: { type: 'manual' } })).id;
  };
  const isRunning = async (organization: TestOrganization, runId: string): Promise<boolean> =>
    (await getRun(organization, runId)).status === 'running';

  it.each(['sent', 'received'])(
    'has room for files that are %s by one organization while another organization occupies the half that it may use',
    async (direction) => {
      const [greedy, other] = [
        await createOrganization(switchboard),
        await createOrganization(switchboard),
      ];
      const given = async (organization: TestOrganization, bytes: number): Promise<object> =>
        direction === 'sent'
          ? { method: 'PUT', file: await upload(organization, bytes) }
          : { response: 'file' };
      const endless = await workflow(greedy, stuck.port, await given(greedy, 10 * MIB));
      const quick = await workflow(other, sink.port, await given(other, 1000));
      const runs: string[] = [];
      for (let count = 0; count < 2 * SHARE + 1; count += 1)
        runs.push(await trigger(greedy, endless));
      for (const run of runs) await waitFor(() => isRunning(greedy, run));
      await waitFor(() => stuck.sockets.size >= SHARE);

      const { status, steps } = await runToEnd(other, quick);
      expect(steps[0]!.error).toBeNull();
      expect(status).toBe('succeeded');
      for (const run of runs) expect(await isRunning(greedy, run)).toBe(true);
      if (direction === 'sent') expect(stuck.sockets.size).toBe(SHARE);

      for (const run of runs) await greedy.call('cancel_run', { run_id: run });
      // A server that does not read does not notice that a client has closed the connection.
      for (const socket of stuck.sockets) socket.destroy();
      await waitFor(() => stuck.sockets.size === 0);
    },
  );
});
