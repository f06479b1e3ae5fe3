import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { endUnread } from '../../src/http/unread-responses.js';

const BODY = Buffer.alloc(20 * 1024 * 1024);
const MOST_BYTES = 30 * 1024 * 1024;
const LONG_MS = 1_000_000;

/** Starts a server that answers each request with {@link BODY}. */
async function listen(unreadMs: number, mostBytes?: number): Promise<Server> {
  const server = createServer(
    endUnread((_request, response) => response.end(BODY), unreadMs, mostBytes),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Sends requests over one connection, and reads nothing. */
function connectSilently(server: Server, requests = 1): Socket {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(requests));
  return client.pause();
}

function end(server: Server, ...clients: Socket[]): void {
  for (const client of clients) client.destroy();
  server.closeAllConnections();
  server.close();
}

/** Resolves when the first connection of the server has ended. */
async function firstEnd(server: Server): Promise<void> {
  const [socket] = (await once(server, 'connection')) as [Socket];
  await once(socket, 'close');
}

it('a client that does not read a response loses its connection', async () => {
  const server = await listen(300);
  const closed = firstEnd(server);
  const client = connectSilently(server);
  try {
    // Without the time limit of `endUnread`, the connection stays open until the test times out.
    await closed;
  } finally {
    end(server, client);
  }
});

it('a client that reads nothing loses its connection when too many bytes are unread', async () => {
  const server = await listen(LONG_MS, MOST_BYTES);
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
  const clients = [1, 2].map(() => connectSilently(server));
  try {
    await closed;
    expect(open.size).toBe(1);
  } finally {
    end(server, ...clients);
  }
});

it('a client that pipelines requests and reads nothing loses its connection when too many bytes are unread', async () => {
  const server = await listen(LONG_MS, MOST_BYTES);
  const closed = firstEnd(server);
  const client = connectSilently(server, 2);
  try {
    // If the response that waits for the earlier response did not count, the connection would stay open.
    await closed;
  } finally {
    end(server, client);
  }
});
