import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request as sendRequest } from 'node:http';
import { type Socket, connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AppError } from '../errors/app-error.js';
import type { OutboundTarget } from './outbound-target.js';

/** The next address is tried after this time, even while the first one is connecting. */
const NEXT_ADDRESS_MS = 2000;
/** Limits the body of a response, as it is received and again when it is unpacked. */
export const MOST_RESPONSE_BYTES = 1024 * 1024;

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Connects to one of `addresses` without another DNS look-up. Calls `check` with the remote address before the first byte
 * is sent. With TLS, the server must have a certificate for the host of the URL.
 */
export async function connect(
  target: OutboundTarget,
  addresses: readonly string[],
  check: (address: string | undefined) => void,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = await connectDirectly(target, addresses, signal);
  try {
    check(socket.remoteAddress);
    return await secure(socket, target, signal);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function connectDirectly(
  target: OutboundTarget,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<Socket> {
  signal.throwIfAborted();
  const socket = connectTcp({
    host: target.host,
    port: target.port,
    // Node calls this for host names only, and connects to an address in the URL directly.
    lookup: (_name, _options, answer) =>
      answer(
        null,
        addresses.map((address) => ({ address, family: isIP(address) })),
      ),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
  });
  // Without this listener, an error after the connection was made would end the process.
  socket.on('error', () => undefined);
  try {
    await once(socket, 'connect', { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/**
 * Starts TLS on a connection if the URL says so. The server must have a certificate for the host of the URL. Destroys the
 * connection when this fails.
 */
export async function secure(
  socket: Socket,
  target: OutboundTarget,
  signal: AbortSignal,
): Promise<Socket> {
  if (!target.isTls) return socket;
  try {
    const secured = connectTls({
      socket,
      // RFC 6066 allows names only as server name. Certificates of addresses are checked against `host`.
      ...(target.isAddress ? { host: target.host } : { servername: target.host }),
      ALPNProtocols: ['http/1.1'],
    });
    secured.on('error', () => undefined);
    await once(secured, 'secureConnect', { signal });
    return secured;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Sends one HTTP/1.1 request and reads the whole response. Redirects are returned like any other response. */
export async function exchange(
  socket: Socket,
  { method, path, headers, body }: HttpRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const request = sendRequest({
    // An `http.Agent` could use a connection whose address was not checked, or a proxy.
    createConnection: () => socket,
    method,
    path,
    headers: {
      ...headers,
      Connection: 'close',
      ...(body?.length && { 'Content-Length': String(body.length) }),
    },
    setHost: false,
    signal,
  });
  // Without this listener, an error after the response would end the process.
  request.on('error', () => undefined);
  // After an upgrade that was not requested, Node emits no other event. The request would wait until its time limit.
  request.on('upgrade', () => request.emit('error', new Error('The server changed the protocol.')));
  const responded = once(request, 'response', { signal });
  request.end(body?.length ? body : undefined);
  const [response] = (await responded) as [IncomingMessage];
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: await readBody(response),
  };
}

async function readBody(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_RESPONSE_BYTES) {
      throw new AppError('rejected', `The response is larger than ${MOST_RESPONSE_BYTES} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
