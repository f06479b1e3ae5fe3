import { Injectable } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';
import { SecurityLog } from '../security/security-log.js';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import type { HttpRequest, HttpResponse } from './http-exchange.js';
import { headerFaults, readHeaders, retryAfterSeconds } from './http-headers.js';
import { requestOf } from './http-request-identity.js';
import { HttpRequestInput } from './http-request.inputs.js';
import { HttpRequestResult } from './http-request.results.js';
import { OutboundClient } from './outbound-client.js';
import { type FilledRequest, RequestSecretsService } from './request-secrets.service.js';
import { parseResponseBody } from './response-body.js';

/** These statuses mean temporary failures. A retry after any other failure would fail again. */
const TEMPORARY = [429, 502, 503, 504];
/** This is longer than every timeout of a step. */
const MAX_SECONDS = 310;
const RETURNED_HEADERS = ['content-type', 'etag', 'last-modified', 'link', 'location'];

@Injectable()
export class HttpRequestTools {
  constructor(
    private readonly client: OutboundClient,
    private readonly secrets: RequestSecretsService,
    private readonly security: SecurityLog,
  ) {}

  @Tool({
    name: 'http_request',
    title: 'Send an HTTP request',
    description:
      'Sends an HTTP request to another system and returns the response. After 429, 502, 503, 504 and failed ' +
      'connections the step is retried with the same Idempotency-Key; any other status outside of 200 to 299 fails it.',
    output: HttpRequestResult,
    external: true,
    checkStep: ({ headers }) => headerFaults(headers),
    requestOf,
    // Agents must not send requests from the network of this server; they can send their own.
    surfaces: ['workflow'],
  })
  async request(input: HttpRequestInput, call: ToolCall): Promise<HttpRequestResult> {
    let filled = await this.secrets.fill(input, call);
    let response = await this.send(filled, call);
    // The token may have been revoked before its time.
    if (response.status === 401 && filled.forgetToken()) {
      filled = await this.secrets.fill(input, call);
      response = await this.send(filled, call);
    }
    assertSuccess(response);
    return filled.hide({
      status: response.status,
      headers: returnedHeaders(response),
      body: parseResponseBody(response),
    });
  }

  private async send({ input, headers }: FilledRequest, call: ToolCall): Promise<HttpResponse> {
    const sent = this.client.send({
      method: input.method,
      url: input.url,
      ...requestContent(input, headers),
      signal: call.signal,
      // The timeout of a step aborts the signal, whatever it is.
      ...(call.answerBy !== undefined && { timeoutSeconds: MAX_SECONDS }),
    });
    return await sent.catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'invalid_arguments') {
        this.security.report('blocked_target', { subject: call.organizationId });
      }
      throw error;
    });
  }
}

function requestContent(
  input: HttpRequestInput,
  credential: Readonly<Record<string, string>>,
): Pick<HttpRequest, 'headers' | 'body'> {
  const { json, body, idempotency_key: key } = input;
  if (json !== undefined && body !== undefined) {
    throw AppError.invalidField('body', 'must not be given together with json');
  }
  const text = json === undefined ? body : JSON.stringify(json);
  const type = json === undefined ? 'text/plain; charset=utf-8' : 'application/json';
  return {
    headers: {
      accept: '*/*',
      'user-agent': 'Switchboard',
      ...(text !== undefined && { 'content-type': type }),
      ...readHeaders(input.headers ?? {}),
      ...readHeaders(credential),
      // A small compressed response could exceed the size limit when it is decompressed.
      'accept-encoding': 'identity',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(text !== undefined && { body: Buffer.from(text) }),
  };
}

function assertSuccess({ status, headers }: HttpResponse): void {
  if (status >= 200 && status < 300) return;
  const details = [{ path: 'status', message: String(status) }];
  if (TEMPORARY.includes(status)) {
    throw new AppError(
      status === 429 ? 'rate_limited' : 'unavailable',
      `The other system answered ${status}.`,
      { details, retryAfterSeconds: retryAfterSeconds(headers['retry-after'], Date.now()) },
    );
  }
  const more = status >= 300 && status < 400 ? '. Redirects are not followed' : '';
  throw new AppError('rejected', `The other system answered ${status}${more}.`, { details });
}

function returnedHeaders({ headers }: HttpResponse): object {
  const entries = RETURNED_HEADERS.map((name) => [name, headers[name]] as const);
  return Object.fromEntries(entries.filter(([, value]) => typeof value === 'string'));
}
