import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { it } from 'vitest';
import { endUnread } from '../../src/http/unread-responses.js';

it('a client that does not read a response loses its connection', async () => {
  const body = Buffer.alloc(20 * 1024 * 1024);
  const server = createServer(endUnread((_request, response) => response.end(body), 300));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const closed = once(server, 'connection').then(async ([socket]) => {
    await once(socket as NodeJS.EventEmitter, 'close');
  });
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  client.pause();
  try {
    // Without the time limit of `endUnread`, the connection stays open until the test times out.
    await closed;
  } finally {
    client.destroy();
    server.closeAllConnections();
    server.close();
  }
});
