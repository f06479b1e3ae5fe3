import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
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

it('a client that reads nothing loses its connection when too many bytes are unread', async () => {
  const body = Buffer.alloc(20 * 1024 * 1024);
  const longMs = 1_000_000;
  const server = createServer(
    endUnread((_request, response) => response.end(body), longMs, 30 * 1024 * 1024),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const open = new Set<Socket>();
  const closed = new Promise<void>((resolve) => {
    server.on('connection', (socket) => {
      open.add(socket);
      socket.once('close', () => {
        open.delete(socket);
        resolve();
      });
    });
  });
  const clients = [1, 2].map(() => {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
    client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    return client.pause();
  });
  try {
    await closed;
    expect(open.size).toBe(1);
  } finally {
    for (const client of clients) client.destroy();
    server.closeAllConnections();
    server.close();
  }
});

it('a client that pipelines requests and reads nothing loses its connection when too many bytes are unread', async () => {
  const body = Buffer.alloc(20 * 1024 * 1024);
  const longMs = 1_000_000;
  const server = createServer(
    endUnread((_request, response) => response.end(body), longMs, 30 * 1024 * 1024),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const closed = once(server, 'connection').then(async ([socket]) => {
    await once(socket as NodeJS.EventEmitter, 'close');
  });
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  client.pause();
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(2));
  try {
    // If the response that waits for the earlier one did not count, the connection would stay open.
    await closed;
  } finally {
    client.destroy();
    server.closeAllConnections();
    server.close();
  }
});
