import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const CHECK_MS = 1000;

const openedAt = new WeakMap<Server, Map<Socket, number>>();

/** Records when connections are opened, for `closeUnusedConnections`. */
export function noteConnections(server: Server): void {
  const connections = new Map<Socket, number>();
  openedAt.set(server, connections);
  server.on('connection', (socket: Socket) => {
    connections.set(socket, performance.now());
    socket.once('close', () => connections.delete(socket));
  });
}

/**
 * From now on, closes each connection on which no request begins for a second. Browsers open such connections in
 * advance. A server that is being closed would wait for these connections without a limit, because Node.js no longer
 * applies its time limits.
 */
export function closeUnusedConnections(server: Server): void {
  const check = setInterval(() => {
    const before = performance.now() - CHECK_MS;
    for (const [socket, opened] of openedAt.get(server) ?? []) {
      if (socket.bytesRead === 0 && opened < before) socket.destroy();
    }
  }, CHECK_MS).unref();
  server.once('close', () => clearInterval(check));
}
