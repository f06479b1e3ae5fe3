import { type IncomingMessage, request as sendRequest } from 'node:http';
import { type Socket, isIPv6 } from 'node:net';
import type { OutboundProxy } from '../config/outbound-proxy.js';
import { AppError } from '../errors/app-error.js';

/**
 * The largest number of addresses of a name that are tried. Without this limit, a proxy that refuses each of them would
 * take long.
 */
const MOST_ADDRESSES = 4;

/**
 * Asks the proxy for a connection to one of `addresses` (RFC 9110, 9.3.6) and returns it. The proxy gets addresses that
 * were checked and no host name, so it resolves no names. Throws `unavailable` when the proxy cannot connect, and
 * `rejected` when the proxy refuses.
 */
export async function connectThrough(
  proxy: OutboundProxy,
  addresses: readonly string[],
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  const tried = addresses.slice(0, MOST_ADDRESSES);
  for (const [index, address] of tried.entries()) {
    const { status, socket } = await ask(proxy, address, port, signal);
    if (status >= 200 && status < 300) return socket;
    socket.destroy();
    // 5xx means that the proxy did not reach this address. The proxy may have no IPv6, for example.
    if (status < 500 || index === tried.length - 1) throw refusal(status);
  }
  throw new Error('There is no address to connect to.');
}

async function ask(
  proxy: OutboundProxy,
  address: string,
  port: number,
  signal: AbortSignal,
): Promise<{ status: number; socket: Socket }> {
  const authority = `${isIPv6(address) ? `[${address}]` : address}:${port}`;
  const request = sendRequest({
    agent: false,
    host: proxy.host,
    port: proxy.port,
    method: 'CONNECT',
    path: authority,
    headers: {
      Host: authority,
      ...(proxy.authorization !== undefined && { 'Proxy-Authorization': proxy.authorization }),
    },
    signal,
  });
  return await new Promise((resolve, reject) => {
    // This listener stays: without it, an error after the answer would end the process.
    request.on('error', reject);
    // Some proxies refuse with a body and close the connection. For such a response, Node.js emits this event in place
    // of `connect`.
    request.on('response', (response: IncomingMessage) => {
      resolve({ status: response.statusCode ?? 0, socket: response.socket });
    });
    request.on('connect', (response: IncomingMessage, socket: Socket, head: Buffer) => {
      socket.on('error', () => undefined);
      // A server may send bytes before it receives any. Without this line, bytes that arrive with the response of the
      // proxy would be lost.
      if (head.length > 0) socket.unshift(head);
      resolve({ status: response.statusCode ?? 0, socket });
    });
    request.end();
  });
}

/** Returns an error without the address of the proxy, because people who are not operators read the error. */
function refusal(status: number): AppError {
  // Status 407 means that the operator set wrong credentials for the proxy. The operator may correct them before the
  // last attempt.
  const isTemporary = status >= 500 || status === 407 || status === 429;
  return new AppError(
    isTemporary ? 'unavailable' : 'rejected',
    `The outbound proxy of this installation answered ${status} and made no connection.`,
  );
}
