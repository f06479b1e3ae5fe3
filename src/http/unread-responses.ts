import type { RequestListener } from 'node:http';

const UNREAD_MS = 60_000;
/** Smaller responses fit into the buffers of the connection, or occupy little memory. Most responses are smaller. */
const UNREAD_BYTES = 16 * 1024;

/**
 * Returns a listener that ends the connection of a client that reads nothing of a complete, large response for a minute.
 * The response would stay in memory without a limit of time.
 */
export function endUnread(listener: RequestListener, unreadMs = UNREAD_MS): RequestListener {
  return (request, response) => {
    // After the last byte, Node.js sets the time limit of the idle connection.
    response.once('prefinish', () => {
      if (response.writableLength > UNREAD_BYTES) response.setTimeout(unreadMs);
    });
    listener(request, response);
  };
}
