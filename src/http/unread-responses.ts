import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { organizationOf } from './request-organization.js';
import { UnreadBytes } from './unread-bytes.js';

/**
 * The time in which a client must read something of its response. When bytes were sent in this time, Node.js waits once
 * more. So a client that reads nothing loses its connection after a minute at the latest.
 */
export const STALLED_MS = 30_000;
/**
 * The largest number of unread bytes without a time limit. This number of bytes fits into the buffers of the
 * connection, or occupies little memory. Most responses are smaller.
 */
const UNREAD_BYTES = 16 * 1024;

/** The largest number of unread bytes of all large responses together. */
const MOST_UNREAD_BYTES = 256 * 1024 * 1024;

/** The owner of all requests without a valid credential. No organization has this id. */
const STRANGERS = '';

/**
 * Returns a listener that ends the connection of a client that reads nothing of a complete, large response for a
 * minute. Otherwise the response would stay in memory without a limit of time. When more than `mostBytes` of such
 * responses are unread, the listener ends connections of the organization with the most unread bytes. Strangers count
 * as one organization.
 */
export function endUnread(
  listener: RequestListener,
  unreadMs = STALLED_MS,
  mostBytes = MOST_UNREAD_BYTES,
): RequestListener {
  const unread = new UnreadBytes<Socket>();
  const watched = new WeakSet<Socket>();
  const watch = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    const bytes = response.writableLength;
    if (bytes <= UNREAD_BYTES || socket.destroyed) return;
    response.setTimeout(unreadMs);
    if (!watched.has(socket)) socket.once('close', () => unread.removeAll(socket));
    watched.add(socket);
    const remove = unread.add(socket, organizationOf(request) ?? STRANGERS, bytes);
    response.once('finish', remove);
    while (unread.total > mostBytes) {
      const ended = unread.findConnectionToEnd()!;
      unread.removeAll(ended);
      ended.destroy();
    }
  };
  return (request, response) => {
    // After the last byte, Node.js sets the time limit of the idle connection.
    afterEnd(response, () => watch(request, response));
    listener(request, response);
  };
}

/** Calls `done` once when the whole response is in memory. */
function afterEnd(response: ServerResponse, done: () => void): void {
  if (response.socket !== null) {
    response.once('prefinish', done);
    return;
  }
  // The response waits for an earlier response of the connection, and Node.js emits `prefinish` only after it has sent
  // the earlier response. If `prefinish` were used here, the bytes of up to 16 waiting responses would not be counted.
  const end = response.end.bind(response) as (...given: unknown[]) => ServerResponse;
  response.end = (...given: unknown[]) => {
    const isFirst = !response.writableEnded;
    end(...given);
    if (isFirst) done();
    return response;
  };
}
