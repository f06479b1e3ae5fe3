import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';

const CHECK_MS = 1000;
const TIMEOUT = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

interface Arrival {
  readonly response: ServerResponse;
  readonly beganAt: number;
  isUpload: boolean;
  bytesRead: number;
  /** The time at which the last bytes arrived, or at which this process last had bytes that it had not consumed. */
  progressAt: number;
}

const timesOf = new WeakMap<Server, BodyTimes>();
const uploads = new WeakMap<IncomingMessage, () => void>();

/**
 * Limits how long the bodies of requests may take to arrive. `requestTimeout` of Node.js cannot do this, because it has
 * one limit for all requests.
 */
export class BodyTimes {
  requestMs = 30_000;
  /** The time without new data after which an upload ends. */
  idleMs = 30_000;
  uploadMs = 60 * 60_000;
  private readonly arriving = new Map<IncomingMessage, Arrival>();
  private timer: NodeJS.Timeout | undefined;

  /** Returns the limits of a server that {@link attach} was called for. */
  static of(server: Server): BodyTimes {
    return timesOf.get(server)!;
  }

  attach(server: Server): void {
    timesOf.set(server, this);
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
    const arrival = { response, beganAt: now, isUpload: false, bytesRead: 0, progressAt: now };
    this.arriving.set(request, arrival);
    uploads.set(request, () => (arrival.isUpload = true));
    this.timer ??= setInterval(() => this.check(Date.now()), CHECK_MS).unref();
  }

  private check(now: number): void {
    for (const [request, arrival] of this.arriving) {
      if (request.complete || request.destroyed) this.arriving.delete(request);
      else if (this.isOver(request, arrival, now)) {
        this.arriving.delete(request);
        end(request, arrival.response);
      }
    }
    if (this.arriving.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private isOver(request: IncomingMessage, arrival: Arrival, now: number): boolean {
    if (!arrival.isUpload) return now - arrival.beganAt > this.requestMs;
    const { bytesRead } = request.socket;
    // Bytes that wait here show that this process is slow, and not the sender.
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
  uploads.get(request)?.();
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Ends a request with the response that Node.js sends after `requestTimeout`. */
function end({ socket }: IncomingMessage, response: ServerResponse): void {
  if (!response.headersSent && socket.writable) socket.write(TIMEOUT);
  socket.destroy();
}
