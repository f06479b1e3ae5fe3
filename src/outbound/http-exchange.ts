import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request as sendRequest } from 'node:http';
import { type Socket, connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AppError } from '../errors/app-error.js';
import { limitChunks } from '../http/small-chunks.js';
import type { OutboundTarget } from './outbound-target.js';

/**
 * The time after which the next address is tried, even if the attempt to connect to the previous address still
 * continues.
 */
const NEXT_ADDRESS_MS = 2000;
/** The largest number of interim responses (status 1xx) before the response. */
const MOST_INTERIM = 100;
/**
 * The largest body of a response that becomes a value of a run, in bytes. The limit applies to the body as it is
 * received, and again when it is decompressed.
 */
export const MOST_RESPONSE_BYTES = 1024 * 1024;

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** The limits of the response. When absent, every response has at most 1 MiB. */
  readonly limits?: BodyLimits;
}

export interface ResponseHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

export interface HttpResponse extends ResponseHead {
  readonly body: Buffer;
}

/** The limits of response bodies, which may allow some bodies more than 1 MiB. */
export interface BodyLimits {
  /** Returns the largest size of the body of a response. */
  mostBytes(head: ResponseHead): number;
  /**
   * Waits until this process has memory for a body of more than 1 MiB. The other system waits meanwhile, because the
   * body is not read.
   */
  beforeLarge(signal: AbortSignal): Promise<void>;
  /** Returns advice about a body that is too large: a sentence for the error text, or an empty text. */
  advice(head: ResponseHead): string;
}

/**
 * Connects to one of `addresses` without another DNS look-up. Calls `check` with the remote address before the first
 * byte is sent. With TLS, the server must have a certificate for the host of the URL.
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
    // Node.js calls this function only for host names. If the URL has an IP address, Node.js connects to it directly.
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
 * Starts TLS on a connection if the URL says so. The server must have a certificate for the host of the URL. Destroys
 * the connection when this fails.
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
      // RFC 6066 allows only host names as server name. If the URL has an IP address, the certificate is checked
      // against `host`.
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
  { method, path, headers, body, limits }: HttpRequest,
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
  // After an upgrade that was not requested, Node.js emits no other event. Without this listener, the request would
  // wait until its time limit.
  request.on('upgrade', () => request.emit('error', new Error('The server changed the protocol.')));
  let interim = 0;
  request.on('information', () => {
    interim += 1;
    if (interim > MOST_INTERIM) request.destroy(tooManyInterim());
  });
  const responded = once(request, 'response', { signal });
  request.end(body?.length ? body : undefined);
  const [response] = (await responded) as [IncomingMessage];
  const head = { status: response.statusCode ?? 0, headers: response.headers };
  return { ...head, body: await readBody(response, head, limits, signal) };
}

async function readBody(
  response: IncomingMessage,
  head: ResponseHead,
  limits: BodyLimits | undefined,
  signal: AbortSignal,
): Promise<Buffer> {
  const most = limits?.mostBytes(head) ?? MOST_RESPONSE_BYTES;
  if (head.headers['transfer-encoding'] !== undefined) {
    limitChunks(response, () => response.destroy(tooManyChunks()));
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    const before = size;
    size += chunk.length;
    if (size > most) throw tooLarge(most, limits?.advice(head));
    if (size > MOST_RESPONSE_BYTES && before <= MOST_RESPONSE_BYTES) {
      await limits?.beforeLarge(signal);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(most: number, advice = ''): AppError {
  return new AppError('rejected', `The response is larger than ${most} bytes.${advice}`);
}

function tooManyInterim(): AppError {
  return new AppError('rejected', 'The other system sends interim responses without end.');
}

function tooManyChunks(): AppError {
  return new AppError('rejected', 'The response comes in too many small chunks.');
}
