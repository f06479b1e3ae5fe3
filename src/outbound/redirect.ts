import { AppError } from '../errors/app-error.js';
import { parseUrl } from '../text/parse-url.js';
import type { HttpResponse } from './http-exchange.js';
import type { RequestContent } from './request-content.js';

const REDIRECTS = [301, 302, 303, 307, 308];
/** The headers that another origin gets too. All other headers may identify the caller. */
const HEADERS_FOR_OTHERS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'idempotency-key',
  'user-agent',
]);

/**
 * Returns the request to which a response redirects (RFC 9110, 15.4), or undefined if the response is not a redirect.
 * Throws `rejected` for a location that is not a URL or too long. Throws as {@link requestTo} does.
 */
export function redirectOf(
  request: RequestContent,
  { status, headers }: Pick<HttpResponse, 'status' | 'headers'>,
): RequestContent | undefined {
  const { location } = headers;
  if (!REDIRECTS.includes(status) || location === undefined) return undefined;
  const to = parseUrl(location, request.url);
  if (!to) {
    throw new AppError(
      'rejected',
      'The other system redirects to a location that is not a URL, or is too long.',
    );
  }
  const becomesGet =
    (status === 303 && request.method !== 'HEAD') ||
    ((status === 301 || status === 302) && request.method === 'POST');
  const next = requestTo(request, to);
  if (!becomesGet) return next;
  const kept = Object.entries(next.headers).filter(([name]) => !name.startsWith('content-'));
  return { method: 'GET', url: next.url, headers: Object.fromEntries(kept) };
}

/**
 * Returns the same request with a URL from a response of another system. If this URL has another origin, headers that
 * may identify the caller are removed. Throws `rejected` when a request with https would go to a URL without https.
 */
export function requestTo(request: RequestContent, to: URL): RequestContent {
  const from = parseUrl(request.url);
  if (from?.protocol !== 'http:' && to.protocol !== 'https:') {
    throw new AppError(
      'rejected',
      'The other system leads from https to a URL without https. The step does not request it.',
    );
  }
  const kept = Object.entries(request.headers).filter(
    ([name]) => to.origin === from?.origin || HEADERS_FOR_OTHERS.has(name),
  );
  return { ...request, url: to.href, headers: Object.fromEntries(kept) };
}
