import type { RequestListener } from 'node:http';

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

/**
 * Returns a listener that ends the connection of a client that reads nothing of a complete, large response for a minute.
 * Otherwise the response would stay in memory without a limit of time.
 */
export function endUnread(listener: RequestListener, unreadMs = STALLED_MS): RequestListener {
  return (request, response) => {
    // After the last byte, Node.js sets the time limit of the idle connection.
    response.once('prefinish', () => {
      if (response.writableLength > UNREAD_BYTES) response.setTimeout(unreadMs);
    });
    listener(request, response);
  };
}
