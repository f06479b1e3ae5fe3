import { Injectable } from '@nestjs/common';
import { AppError, toError } from '../errors/app-error.js';
import { retryAfterSeconds } from '../outbound/http-headers.js';
import type { HttpResponse } from '../outbound/http-exchange.js';
import { OutboundClient } from '../outbound/outbound-client.js';
import { parseResponseBody } from '../outbound/response-body.js';
import { visibleLine } from '../text/visible-line.js';
import type { Handover } from './channel-contract.js';

/**
 * The largest number of characters that a reason quotes from a provider. `cleanHandover` shortens the reason after it
 * has hidden the secret of the provider. A shorter quotation could end within a secret, which would not be found.
 */
export const LONGEST_QUOTATION = 5000;
const TIMEOUT_SECONDS = 30;

/** A request of a channel. The body is text, such as JSON or a form. */
export interface ProviderRequest {
  readonly method?: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The response of a provider. `body` is parsed JSON, or text, or null when it could not be read. */
export interface ProviderResponse {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfterSeconds?: number;
}

/** Either the response, or the result of a handover that got no response. */
export type ProviderAnswer =
  | { readonly response: ProviderResponse; readonly failure?: undefined }
  | { readonly response?: undefined; readonly failure: Exclude<Handover, { outcome: 'sent' }> };

/**
 * Sends the requests of channels to providers. Public addresses require TLS. Addresses in `OUTBOUND_ALLOW` do not
 * require TLS. When there is no response, the result says whether the request may have arrived.
 */
@Injectable()
export class ProviderRequests {
  constructor(private readonly outbound: OutboundClient) {}

  /**
   * Returns the response, or the result of a handover without a response. Never throws. Redirects are responses
   * and are not followed.
   */
  async send(request: ProviderRequest, signal: AbortSignal): Promise<ProviderAnswer> {
    const { method = 'POST', url, headers, body } = request;
    let isConnected = false;
    try {
      const response = await this.outbound.send({
        method,
        url,
        headers,
        ...(body !== undefined && { body: Buffer.from(body) }),
        signal,
        // Most requests to providers contain a password or a key, and all contain a message to a person.
        hasSecrets: true,
        timeoutSeconds: TIMEOUT_SECONDS,
        onConnected: () => {
          isConnected = true;
        },
      });
      return { response: await read(response) };
    } catch (error) {
      const reason = toError(error).message;
      if (isConnected) return { failure: { outcome: 'unknown', code: 'connection_lost', reason } };
      if (error instanceof AppError && error.code === 'invalid_arguments') {
        return { failure: { outcome: 'refused', code: 'invalid_address', reason } };
      }
      return { failure: { outcome: 'failed', code: 'connection_failed', reason } };
    }
  }
}

/**
 * Returns the result of a handover for a response that is not a success. 429 and 5xx are temporary. After 408, 502 and
 * 504 the provider may have processed the request, because the response may come from a proxy or after a time limit.
 */
export function toFailure(
  { status, retryAfterSeconds: wait }: ProviderResponse,
  said?: string,
): Exclude<Handover, { outcome: 'sent' }> {
  const text = said === undefined ? '' : `: ${visibleLine(said, LONGEST_QUOTATION)}`;
  const reason = `The provider answered ${status}${text}`;
  if (status === 408 || status === 502 || status === 504) {
    return { outcome: 'unknown', code: 'connection_lost', reason };
  }
  const retry = wait === undefined ? {} : { retryAfterSeconds: wait };
  if (status === 425 || status === 429) {
    return { outcome: 'failed', code: 'rate_limited', reason, ...retry };
  }
  if (status >= 500) return { outcome: 'failed', code: 'provider_unavailable', reason, ...retry };
  return { outcome: 'refused', code: 'provider_refused', reason };
}

/** Returns the text member of an object from a provider, or undefined. */
export function textMember(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const member = (value as Record<string, unknown>)[name];
  return typeof member === 'string' ? member : undefined;
}

/** Returns the base URL without a slash at its end, so that a path can follow. */
export function withoutSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}

async function read(response: HttpResponse): Promise<ProviderResponse> {
  const { status, headers } = response;
  const wait = retryAfterSeconds(headers['retry-after'], Date.now());
  return {
    status,
    body: await readBody(response),
    ...(wait !== undefined && { retryAfterSeconds: wait }),
  };
}

/**
 * Reads the body of a response. The status alone decides for most providers, so an unreadable body is not a failure.
 */
async function readBody(response: HttpResponse): Promise<unknown> {
  try {
    const { json, text } = await parseResponseBody(response);
    return json ?? text;
  } catch {
    return null;
  }
}
