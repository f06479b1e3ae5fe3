import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The largest number of requests of a connection that may wait for the response to an earlier request. Usual clients
 * send no such requests.
 */
const MAX_WAITING = 16;

/**
 * Returns a listener that closes a connection with more than `MAX_WAITING` waiting requests. Node.js emits every
 * request of a packet before other code runs. So a packet with thousands of small requests would delay all other
 * clients.
 */
export function limitPipelining(listener: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    // Node.js assigns the connection to a response when all earlier responses have ended.
    if (response.socket === null) {
      const count = (waiting.get(socket) ?? 0) + 1;
      if (count > MAX_WAITING || socket.destroyed) {
        socket.destroy();
        return;
      }
      waiting.set(socket, count);
      response.once('close', () => waiting.set(socket, waiting.get(socket)! - 1));
    }
    listener(request, response);
  };
}
