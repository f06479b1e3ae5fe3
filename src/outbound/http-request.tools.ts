import { Injectable } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';
import { FilesService, type LoadedFile } from '../files/files.service.js';
import { SecurityLog } from '../security/security-log.js';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import { type HttpResponse, MOST_RESPONSE_BYTES } from './http-exchange.js';
import { headerFaults, retryAfterSeconds } from './http-headers.js';
import { requestOf } from './http-request-identity.js';
import { type HttpPagesInput, HttpRequestInput } from './http-request.inputs.js';
import { HttpRequestResult } from './http-request.results.js';
import { OutboundClient } from './outbound-client.js';
import { itemsOf, nextPage, pagesFaults } from './next-page.js';
import { redirectOf, requestTo } from './redirect.js';
import {
  assertOneBody,
  fileIdsOf,
  type RequestContent,
  requestContent,
} from './request-content.js';
import { type FilledRequest, RequestSecretsService } from './request-secrets.service.js';
import { secretFaults } from './secrets-in-urls.js';
import { assertFilesPossible, bodyOrFile, fileFaults, limitsOf } from './response-files.js';
import { type ParsedBody, parseResponseBody, shortenBody } from './response-body.js';

/** The statuses that mean temporary failures. A retry after any other failure would fail again. */
const TEMPORARY = [429, 502, 503, 504];
/** The time limit of a request, in seconds. It is longer than every timeout of a step. */
const MAX_SECONDS = 310;
const UNREADABLE: ParsedBody = { json: null, text: null };
const RETURNED_HEADERS = ['content-type', 'etag', 'last-modified', 'link', 'location'];

/** The request of a step. Its files are in memory. */
interface Sent {
  readonly input: HttpRequestInput;
  readonly call: ToolCall;
  readonly files: ReadonlyMap<string, LoadedFile>;
}

/** A response and the request that it answers. After redirects, the URL is still the URL of the first request. */
interface Fetched {
  readonly url: string;
  readonly filled: FilledRequest;
  readonly response: HttpResponse;
}

@Injectable()
export class HttpRequestTools {
  constructor(
    private readonly client: OutboundClient,
    private readonly secrets: RequestSecretsService,
    private readonly security: SecurityLog,
    private readonly files: FilesService,
  ) {}

  @Tool({
    name: 'http_request',
    title: 'Send an HTTP request',
    description:
      'Sends an HTTP request to another system and returns the response. After 429, 502, 503, 504 and failed ' +
      'connections the step is retried with the same Idempotency-Key; any other status outside of 200 to 299 fails it, ' +
      'and on_error sees the response as error.response.',
    output: HttpRequestResult,
    external: true,
    checkStep: (given) => [
      ...secretFaults(given.url),
      ...headerFaults(given.headers),
      ...pagesFaults(given.pages),
      ...fileFaults(given),
    ],
    requestOf,
    // Agents must not send requests from the network of this server; they can send their own.
    surfaces: ['workflow'],
  })
  async request(input: HttpRequestInput, call: ToolCall): Promise<HttpRequestResult> {
    assertOneBody(input);
    assertFilesPossible(input);
    const sent = { input, call, files: await this.files.load(call, fileIdsOf(input)) };
    if (input.pages) return await this.fetchPages(sent, input.pages);
    const fetched = await this.fetch(sent);
    const { body, file } = await bodyOrFile(input, fetched, this.files, call);
    const result = await fetched.filled.hide(resultOf(fetched.response, body));
    return file ? { ...result, file } : result;
  }

  private async fetchPages(sent: Sent, pages: HttpPagesInput): Promise<HttpRequestResult> {
    const [fault] = pagesFaults(pages);
    if (fault) throw AppError.invalidField(fault.path, fault.message);
    const items: unknown[] = [];
    let bytes = 0;
    let next: URL | undefined;
    for (let count = 1; ; count += 1) {
      const { url, filled, response } = await this.fetch(sent, next);
      const page = { url, link: response.headers.link, body: await parseResponseBody(response) };
      const list = itemsOf(page, pages);
      // Measure the items and not the response, because the response may have been compressed.
      assertFit(bytes + sizeOf(list));
      // Each page may have been fetched with a new token, which only this request can hide.
      const shown = await filled.hide(list);
      // The text that replaces a secret can be much longer than the secret.
      bytes += sizeOf(shown);
      assertFit(bytes);
      for (const item of shown) items.push(item);
      next = nextPage(page, pages, list.length);
      if (next?.href === url) {
        throw new AppError('rejected', 'The other system names a page as its own next page.');
      }
      if (next === undefined || count === pages.max) {
        const result = await filled.hide(resultOf(response, { json: [], text: null }));
        const complete = next === undefined;
        return { ...result, body: { json: items, text: null }, pages: count, complete };
      }
    }
  }

  /** Sends the request, or the same request to another page. Throws for a status that the step does not accept. */
  private async fetch(sent: Sent, page?: URL): Promise<Fetched> {
    const { input, call } = sent;
    let fetched = await this.follow(await this.secrets.fill(input, call), sent, page);
    // The token may have been revoked before it expired, so the request is sent once more with a new token.
    if (fetched.response.status === 401 && fetched.filled.forgetToken()) {
      fetched = await this.follow(await this.secrets.fill(input, call), sent, page);
    }
    const { filled, response } = fetched;
    assertNotTemporary(response, input);
    if (isAccepted(response.status, input)) return fetched;
    const body = await parseResponseBody(response).catch(() => UNREADABLE);
    // The secrets are hidden before the body is shortened. Otherwise a part of a secret could remain at its end.
    const shown = resultOf(response, shortenBody(await filled.hide(body)));
    throw rejection(response.status, await filled.hide(shown));
  }

  private async follow(filled: FilledRequest, sent: Sent, page?: URL): Promise<Fetched> {
    try {
      return await this.sendAll(filled, sent, page);
    } catch (error) {
      throw await filled.hideInError(error);
    }
  }

  /** Sends a request and follows as many redirects as it allows. Each hop is checked like a first request. */
  private async sendAll(filled: FilledRequest, sent: Sent, page?: URL): Promise<Fetched> {
    const first = requestContent(filled.input, filled.headers, sent.files);
    if (page !== undefined) filled.assertMayFollow(page.href);
    let request = page === undefined ? first : requestTo(first, page);
    const { url } = request;
    for (let hops = 0; ; hops += 1) {
      const response = await this.send(request, sent, filled.hasSecrets);
      if (hops === filled.input.max_redirects) return { url, filled, response };
      const next = redirectOf(request, response);
      if (!next) return { url, filled, response };
      filled.assertMayFollow(next.url);
      request = next;
    }
  }

  private async send(
    request: RequestContent,
    { input, call }: Sent,
    hasSecrets: boolean,
  ): Promise<HttpResponse> {
    const answer = this.client.send({
      ...request,
      hasSecrets,
      limits: limitsOf(input, (status) => isAccepted(status, input), this.files, call),
      signal: call.signal,
      // If the step has a timeout, `signal` aborts at that time. So the limit of the client is longer than every
      // timeout.
      ...(call.answerBy !== undefined && { timeoutSeconds: MAX_SECONDS }),
    });
    return await answer.catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'invalid_arguments') {
        this.security.report('blocked_target', { subject: call.organizationId });
      }
      throw error;
    });
  }
}

function sizeOf(items: readonly unknown[]): number {
  return Buffer.byteLength(JSON.stringify(items));
}

/** Throws `rejected` when the items of all pages together are too large. */
function assertFit(bytes: number): void {
  if (bytes <= MOST_RESPONSE_BYTES) return;
  const message = `The items of the pages are larger than ${MOST_RESPONSE_BYTES} bytes.`;
  throw new AppError('rejected', message);
}

function assertNotTemporary(
  { status, headers }: HttpResponse,
  { retry_statuses: temporary = TEMPORARY }: HttpRequestInput,
): void {
  if (!temporary.includes(status)) return;
  throw new AppError(
    status === 429 ? 'rate_limited' : 'unavailable',
    `The other system answered ${status}.`,
    {
      details: [{ path: 'status', message: String(status) }],
      retryAfterSeconds: retryAfterSeconds(headers['retry-after'], Date.now()),
    },
  );
}

function isAccepted(status: number, { accept_statuses: accepted = [] }: HttpRequestInput): boolean {
  return (status >= 200 && status < 300) || accepted.includes(status);
}

/** Returns an error whose message quotes no part of the response. Only steps see the response. */
function rejection(status: number, response: HttpRequestResult): AppError {
  const more = status >= 300 && status < 400 ? '. To follow redirects, set max_redirects' : '';
  return new AppError('rejected', `The other system answered ${status}${more}.`, {
    details: [{ path: 'status', message: String(status) }],
    response,
  });
}

function resultOf({ status, headers }: HttpResponse, body: ParsedBody): HttpRequestResult {
  const shown = RETURNED_HEADERS.map((name) => [name, headers[name]] as const);
  return {
    status,
    headers: Object.fromEntries(shown.filter(([, value]) => typeof value === 'string')),
    body,
  };
}
