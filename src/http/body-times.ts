import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { limitRequestChunks } from './small-chunks.js';

const CHECK_MS = 1000;
const TIMEOUT = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

/** The newest request with a body on a connection. Its body is arriving, or has arrived since the last check. */
interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly beganAt: number;
  bytesRead: number;
  /**
   * The time at which the last bytes arrived, or the last time at which this process had bytes that it had not
   * consumed.
   */
  progressAt: number;
}

const timesOf = new WeakMap<Server, BodyTimes>();
const uploads = new WeakSet<IncomingMessage>();

/**
 * Limits how long the bodies of requests may take to arrive. `requestTimeout` of Node.js cannot do this, because it has
 * one limit for all requests.
 */
export class BodyTimes {
  requestMs = 30_000;
  /** The time without new data after which an upload ends. */
  idleMs = 30_000;
  uploadMs = 60 * 60_000;
  /**
   * The body that arrives on each connection. There is at most one, because Node.js emits a request after the body of
   * the previous request. A map of requests would grow and shrink with each request. V8 would then keep all requests
   * until it collects the whole heap, and calls took 1.7 times as long.
   */
  private readonly arrivals = new Map<Socket, Arrival | undefined>();
  private timer: NodeJS.Timeout | undefined;

  /** Returns the limits of a server that {@link attach} was called for. */
  static of(server: Server): BodyTimes {
    return timesOf.get(server)!;
  }

  attach(server: Server): void {
    timesOf.set(server, this);
    server.on('checkExpectation', refuseExpectation);
    server.on('connection', (socket: Socket) => {
      this.arrivals.set(socket, undefined);
      socket.once('close', () => this.arrivals.delete(socket));
    });
  }

  /** Returns a listener that watches each request with a body until the body has arrived. */
  watching(handle: RequestListener): RequestListener {
    return (request, response) => {
      if (hasBody(request)) this.watch(request, response);
      handle(request, response);
    };
  }

  private watch(request: IncomingMessage, response: ServerResponse): void {
    const now = Date.now();
    this.arrivals.set(request.socket, {
      request,
      response,
      beganAt: now,
      bytesRead: 0,
      progressAt: now,
    });
    if (request.headers['transfer-encoding'] !== undefined) limitRequestChunks(request, response);
    this.timer ??= setInterval(() => this.check(Date.now()), CHECK_MS).unref();
  }

  private check(now: number): void {
    for (const [socket, arrival] of this.arrivals) {
      if (!arrival) continue;
      if (arrival.request.complete) this.arrivals.set(socket, undefined);
      else if (this.isOver(arrival, now)) end(socket, arrival.response);
    }
    if (this.arrivals.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private isOver(arrival: Arrival, now: number): boolean {
    const { request } = arrival;
    if (!uploads.has(request)) return now - arrival.beganAt > this.requestMs;
    const { bytesRead } = request.socket;
    // Bytes that wait here show that this process is slow. The sender is not slow.
    if (bytesRead !== arrival.bytesRead || request.readableLength > 0) {
      Object.assign(arrival, { bytesRead, progressAt: now });
    }
    return now - arrival.progressAt > this.idleMs || now - arrival.beganAt > this.uploadMs;
  }
}

/**
 * Lets the body of a request take up to an hour, as long as bytes arrive. Call it only for callers with a valid
 * credential, because each such request occupies a connection.
 */
export function allowUpload(request: IncomingMessage): void {
  uploads.add(request);
}

/**
 * Refuses a request whose header `Expect` has an unknown value. If Node.js refused the request itself, it would emit no
 * `request`, and the body could take hours to arrive.
 */
function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(417, { Connection: 'close' }).end();
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Ends a request with the response that Node.js sends after `requestTimeout`. A pipelined request gets no response,
 * because the text would become a part of the earlier response that is being sent.
 */
function end(socket: Socket, response: ServerResponse): void {
  // Node.js assigns the connection to a response when all earlier responses have ended.
  const isNext = response.socket !== null;
  if (isNext && !response.headersSent && socket.writable) socket.write(TIMEOUT);
  socket.destroy();
}
