import type { RequestListener } from 'node:http';

const UNREAD_MS = 60_000;

/**
 * Returns a listener that ends the connection of a client that reads nothing of a complete response for a minute. The
 * response would stay in memory without a limit of time.
 */
export function endUnread(listener: RequestListener, unreadMs = UNREAD_MS): RequestListener {
  return (request, response) => {
    // After the last byte, Node.js sets the time limit of the idle connection.
    response.once('prefinish', () => response.setTimeout(unreadMs));
    listener(request, response);
  };
}
