import type { RequestListener, ServerResponse } from 'node:http';
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
 *
 * When a connection closes, each waiting response is destroyed and emits `close`. Node.js does this only for the
 * response that is being sent. Without the event, the work of a waiting response would keep its slots and its memory.
 */
export function limitPipelining(listener: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, Set<ServerResponse>>();
  const waitingOn = (socket: Socket): Set<ServerResponse> => {
    const known = waiting.get(socket);
    if (known) return known;
    const responses = new Set<ServerResponse>();
    waiting.set(socket, responses);
    socket.once('close', () => {
      for (const response of responses) response.destroy().emit('close');
    });
    return responses;
  };
  return (request, response) => {
    const { socket } = request;
    // Node.js assigns the connection to a response when all earlier responses have ended.
    if (response.socket === null) {
      const responses = waitingOn(socket);
      if (responses.size >= MAX_WAITING || socket.destroyed) {
        socket.destroy();
        return;
      }
      responses.add(response);
      response.once('socket', () => responses.delete(response));
    }
    listener(request, response);
  };
}
