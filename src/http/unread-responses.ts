import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The time in which a client must read something of its response. When bytes were sent in this time, Node.js waits once
 * more. So a client that reads nothing loses its connection after a minute at the latest.
 */
export const STALLED_MS = 30_000;
/**
 * The largest number of unread bytes without a time limit. They fit into the buffers of the connection, or occupy
 * little memory. Most responses are smaller.
 */
const UNREAD_BYTES = 16 * 1024;

/** The largest number of unread bytes of all large responses together. */
const MOST_UNREAD_BYTES = 256 * 1024 * 1024;

/**
 * Returns a listener that ends the connection of a client that reads nothing of a complete, large response for a minute.
 * Otherwise the response would stay in memory without a limit of time. When more than `mostBytes` of such responses are
 * unread, the listener ends the connection with most of them.
 */
export function endUnread(
  listener: RequestListener,
  unreadMs = STALLED_MS,
  mostBytes = MOST_UNREAD_BYTES,
): RequestListener {
  const unread = new Map<Socket, number>();
  let total = 0;
  const add = (socket: Socket, bytes: number): void => {
    total += bytes;
    unread.set(socket, (unread.get(socket) ?? 0) + bytes);
  };
  const remove = (socket: Socket): void => {
    total -= unread.get(socket) ?? 0;
    unread.delete(socket);
  };
  return (request, response) => {
    // After the last byte, Node.js sets the time limit of the idle connection.
    response.once('prefinish', () => {
      const bytes = response.writableLength;
      if (bytes <= UNREAD_BYTES || request.socket.destroyed) return;
      response.setTimeout(unreadMs);
      const { socket } = request;
      if (!unread.has(socket)) socket.once('close', () => remove(socket));
      add(socket, bytes);
      response.once('finish', () => unread.has(socket) && add(socket, -bytes));
      while (total > mostBytes) {
        const [largest] = [...unread].toSorted(([, a], [, b]) => b - a)[0]!;
        remove(largest);
        largest.destroy();
      }
    });
    listener(request, response);
  };
}
