import { Injectable } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';
import { parseJson } from '../http/request-body.js';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import type { HttpAnswer } from './exchange.js';
import { HttpRequestInput, HttpRequestResult } from './http-request.dto.js';
import { OutboundClient } from './outbound-client.js';
import { readHeaders } from './request-headers.js';
import { retryAfterSeconds } from './retry-after.js';

/** Statuses that say "not now"; any other that is no success would be the same the next time. */
const NOT_NOW = [429, 502, 503, 504];
const SHOWN_HEADERS = ['content-type', 'etag', 'last-modified', 'link', 'location'];

/** Requests of workflows to other systems. */
@Injectable()
export class HttpRequestTools {
  constructor(private readonly client: OutboundClient) {}

  @Tool({
    name: 'http_request',
    title: 'Send an HTTP request',
    description:
      'Sends an HTTP request to another system and returns its answer. 429, 502, 503, 504 and failed connections are ' +
      'tried again, with the same Idempotency-Key; any other status outside of 200 to 299 fails the step.',
    output: HttpRequestResult,
    external: true,
    // What an agent can fetch is its own business; a server that fetches for it would lend it its place in the network.
    surfaces: ['workflow'],
  })
  async request(input: HttpRequestInput, call: ToolCall): Promise<HttpRequestResult> {
    const answer = await this.client.send({
      method: input.method,
      url: input.url,
      ...content(input),
      signal: call.signal,
    });
    assertSuccess(answer);
    return { status: answer.status, headers: shownHeaders(answer), body: readBody(answer) };
  }
}

function content(input: HttpRequestInput): { headers: Record<string, string>; body?: Buffer } {
  const { json, body, idempotency_key: key } = input;
  if (json !== undefined && body !== undefined) {
    const message = 'must not be given together with json';
    throw AppError.invalid(`body ${message}.`, [{ path: 'body', message }]);
  }
  const text = json === undefined ? body : JSON.stringify(json);
  const type = json === undefined ? 'text/plain; charset=utf-8' : 'application/json';
  return {
    headers: {
      accept: '*/*',
      'user-agent': 'Switchboard',
      ...(text !== undefined && { 'content-type': type }),
      ...readHeaders(input.headers ?? {}),
      // An answer is bounded as it comes, and must not grow after that.
      'accept-encoding': 'identity',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(text !== undefined && { body: Buffer.from(text) }),
  };
}

function assertSuccess({ status, headers }: HttpAnswer): void {
  if (status >= 200 && status < 300) return;
  const details = [{ path: 'status', message: String(status) }];
  if (NOT_NOW.includes(status)) {
    throw new AppError(
      status === 429 ? 'rate_limited' : 'unavailable',
      `The other system answered ${status}.`,
      { details, retryAfterSeconds: retryAfterSeconds(headers['retry-after'], Date.now()) },
    );
  }
  const more = status >= 300 && status < 400 ? ', and redirects are not followed' : '';
  throw new AppError('rejected', `The other system answered ${status}${more}.`, { details });
}

function readBody({ headers, body }: HttpAnswer): { json: unknown; text: string | null } {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new AppError('rejected', 'The answer is compressed, although that was not asked for.');
  }
  const type = headers['content-type']?.split(';')[0]!.trim().toLowerCase() ?? '';
  if (type === 'application/json' || type.endsWith('+json')) {
    try {
      return { json: parseJson(body), text: null };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // Said to be JSON, but not such as can be worked with: it is shown as it is.
    }
  }
  return { json: null, text: new TextDecoder().decode(body) };
}

function shownHeaders({ headers }: HttpAnswer): object {
  const shown = SHOWN_HEADERS.map((name) => [name, headers[name]] as const);
  return Object.fromEntries(shown.filter(([, value]) => typeof value === 'string'));
}
