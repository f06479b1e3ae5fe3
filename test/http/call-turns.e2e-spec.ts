import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard } from '../support/switchboard.js';

const CONNECTIONS = 1000;
const CALLS = 5;

it('a call of an organization is answered before most of a thousand calls of another', async () => {
  const switchboard = await sharedSwitchboard();
  const { url } = switchboard;
  const acme = await createOrganization(switchboard);
  const globex = await createOrganization(switchboard);
  const globexSocket = await open(url);
  const acmeSockets: Socket[] = [];
  for (let count = 0; count < CONNECTIONS; count += 1) acmeSockets.push(await open(url));

  // Each answer is followed by the next call, so a thousand calls of the organization are always open.
  let answers = 0;
  const request = ping(url, acme);
  for (const socket of acmeSockets) {
    socket.on('data', (data) => {
      expect(data.toString('latin1', 0, 12)).toBe('HTTP/1.1 200');
      answers += 1;
      socket.write(request);
    });
    socket.write(request);
  }
  while (answers < CONNECTIONS) await once(acmeSockets[0]!, 'data');

  const before = answers;
  for (let count = 0; count < CALLS; count += 1) {
    globexSocket.write(ping(url, globex));
    const [data] = (await once(globexSocket, 'data')) as [Buffer];
    expect(data.toString('latin1', 0, 12)).toBe('HTTP/1.1 200');
  }
  const meanwhile = answers - before;
  for (const socket of [...acmeSockets, globexSocket]) socket.destroy();
  expect(meanwhile / CALLS).toBeLessThan(CONNECTIONS / 2);
});

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

function ping(url: string, { key }: TestOrganization): string {
  const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  return [
    'POST /api/mcp HTTP/1.1',
    `Host: ${new URL(url).host}`,
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}
