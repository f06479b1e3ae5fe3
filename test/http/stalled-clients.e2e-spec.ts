import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { beforeAll, describe, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';

/** The size of a download, which is larger than the buffers of a connection. */
const BYTES = 10 * 1024 * 1024;
const REQUESTS = 17;

/** The service waits for up to a minute, so this file runs with `npm run test:slow` only. */
describe.concurrent('a client that reads nothing for a minute loses its connection', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;
  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  /** Sends requests, and resolves when the service has closed its side of the connection. */
  const closedAfter = async (path: string, count: number): Promise<void> => {
    const server = switchboard.app.getHttpServer();
    const { port, hostname, host } = new URL(switchboard.url);
    const client = connect(Number(port), hostname);
    client.pause();
    client.on('error', () => undefined);
    const served = new Promise<Socket>((resolve) => {
      const onConnection = (socket: Socket): void => {
        if (socket.remotePort !== client.localPort) return;
        server.off('connection', onConnection);
        resolve(socket);
      };
      server.on('connection', onConnection);
    });
    await once(client, 'connect');
    const socket = await served;
    const head = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${acme.cookie}\r\n\r\n`;
    client.write(head.repeat(count));
    try {
      await waitFor(() => socket.destroyed);
    } finally {
      client.destroy();
    }
  };

  it('in the middle of a download', async () => {
    const uploaded = await fetch(`${switchboard.url}/api/files`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${acme.key}`, 'Content-Type': 'application/octet-stream' },
      body: Buffer.alloc(BYTES, 'x'),
    });
    const { file } = (await uploaded.json()) as { file: { id: string } };
    await closedAfter(`/api/files/${file.id}`, 1);
  });

  it('when complete responses wait for it', async () => {
    await closedAfter('/api/openapi.json', REQUESTS);
  });
});
