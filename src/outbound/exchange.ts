import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request as sendRequest } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../errors/app-error.js';

export interface HttpMessage {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent or empty: none. */
  readonly body?: Buffer;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const MOST_BYTES = 1024 * 1024;

/** Sends one HTTP/1.1 request over the connection and reads its answer whole. Redirects are answers like others. */
export async function exchange(
  socket: Socket,
  message: HttpMessage,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const { method, path, headers, body } = message;
  const request = sendRequest({
    // The connection that was checked, and no agent that might have another, or a proxy.
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
  // What comes after the answer is nobody's concern, and must not end the process.
  request.on('error', () => undefined);
  // Never asked for, and no answer: Node lets go of such a request, and would tell nobody how it ended.
  request.on('upgrade', () => request.emit('error', new Error('The protocol was changed.')));
  const answered = once(request, 'response', { signal });
  request.end(body?.length ? body : undefined);
  const [response] = (await answered) as [IncomingMessage];
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
    if (size > MOST_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(): AppError {
  return new AppError('rejected', `The answer is larger than ${MOST_BYTES} bytes.`);
}
