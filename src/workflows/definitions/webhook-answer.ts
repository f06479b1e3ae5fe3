import type { Fault } from '../../errors/app-error.js';
import { isJsonObject } from '../../text/is-json-object.js';
import { isUrl } from '../../text/parse-url.js';

/**
 * The `Content-Type` of each type of an answer. HTML is not allowed, because browsers would show it as a page of this
 * origin.
 */
export const ANSWER_TYPES = {
  json: 'application/json',
  text: 'text/plain; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
} as const;

export type AnswerType = keyof typeof ANSWER_TYPES;

export const ANSWER_TYPE_NAMES = Object.keys(ANSWER_TYPES) as AnswerType[];

/** The answer of a `respond` step to the sender of a webhook, as it is stored with the run. */
export interface WebhookAnswer {
  status: number;
  type: AnswerType;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export const DEFAULT_STATUS = 200;
export const MAX_ANSWER_BYTES = 256 * 1024;
export const MAX_ANSWER_HEADERS = 20;
const MAX_HEADER_CHARACTERS = 1024;

/** The statuses with which HTTP allows no body (RFC 9110, section 15). */
const WITHOUT_BODY = [204, 205, 304];
const REDIRECTS = [301, 302, 303, 307, 308];

const SAFE_HEADERS = ['cache-control', 'content-language', 'location', 'retry-after'];
const OWN_HEADER = /^x-[a-z0-9][a-z0-9_-]{0,61}$/;
/**
 * The headers that a step must not set, because browsers and proxies act on them. For example, a proxy could send a
 * file of its own disk.
 */
const FORBIDDEN_OWN_HEADERS =
  /^x-(?:accel-.*|sendfile.*|lighttpd-.*|litespeed-.*|content-type-options|content-security-policy.*|frame-options|forwarded-.*|permitted-cross-domain-policies|webkit-csp.*|xss-protection|dns-prefetch-control|ua-compatible)$/;
const HEADER_VALUE = /^[\x20-\x7e\t]*$/;

/** Returns the reason why a status is invalid, or undefined. */
export function statusFault(status: unknown): string | undefined {
  const isStatus =
    Number.isInteger(status) && (status as number) >= 200 && (status as number) < 600;
  return isStatus ? undefined : 'must be a whole number from 200 to 599';
}

/** Returns the reason why the name of a header is invalid, or undefined. The name may be in upper or lower case. */
export function headerNameFault(given: string): string | undefined {
  const name = given.toLowerCase();
  const isKnown = SAFE_HEADERS.includes(name);
  if (isKnown || (OWN_HEADER.test(name) && !FORBIDDEN_OWN_HEADERS.test(name))) return undefined;
  return `is not a header that an answer may have: use ${SAFE_HEADERS.join(', ')}, or a name that begins with x-`;
}

/**
 * Returns the reason why the value of a header is invalid, or undefined. A line break in the value would begin another
 * header.
 */
export function headerValueFault(given: string, value: string): string | undefined {
  if (value.length > MAX_HEADER_CHARACTERS) {
    return `must have at most ${MAX_HEADER_CHARACTERS} characters`;
  }
  if (!HEADER_VALUE.test(value)) return 'must have only ASCII characters and no line breaks';
  if (given.toLowerCase() === 'location' && !isWebAddress(value)) {
    return 'must be an address that begins with https:// or http://';
  }
  return undefined;
}

/** Returns the faults of a whole answer whose parts are valid. The paths are relative to the answer. */
export function answerFaults(answer: {
  status: number;
  headers: Readonly<Record<string, unknown>>;
  hasBody: boolean;
}): Fault[] {
  const { status, headers, hasBody } = answer;
  const faults: Fault[] = [];
  if (hasBody && WITHOUT_BODY.includes(status)) {
    faults.push({
      path: 'body',
      message: `must be absent, because an answer with ${status} has none`,
    });
  }
  const hasLocation = Object.keys(headers).some((name) => name.toLowerCase() === 'location');
  if (hasLocation && !REDIRECTS.includes(status)) {
    const message = `needs a status of ${REDIRECTS.join(', ')}`;
    faults.push({ path: 'headers.location', message });
  }
  return faults;
}

/** Returns the reason why the type of an answer is invalid, or undefined. */
export function typeFault(type: unknown): string | undefined {
  const isType = ANSWER_TYPE_NAMES.some((name) => name === type);
  return isType ? undefined : `must be one of ${ANSWER_TYPE_NAMES.join(', ')}`;
}

/**
 * Returns a stored answer, or undefined for an answer that no step can give. SQL of a tool can store any answer. Without
 * this check, such an answer could set cookies in browsers of other people.
 */
export function readStoredAnswer(stored: unknown): WebhookAnswer | undefined {
  if (!isJsonObject(stored)) return undefined;
  const { status, type, headers, body } = stored;
  if (statusFault(status) !== undefined || typeFault(type) !== undefined) return undefined;
  if (typeof body !== 'string' || Buffer.byteLength(body) > MAX_ANSWER_BYTES) return undefined;
  if (!isJsonObject(headers) || !areHeaders(headers)) return undefined;
  const answer = { status, type, headers, body } as WebhookAnswer;
  return answerFaults({ ...answer, hasBody: body !== '' }).length === 0 ? answer : undefined;
}

function areHeaders(headers: Record<string, unknown>): boolean {
  const entries = Object.entries(headers);
  const isHeader = ([name, value]: [string, unknown]): boolean =>
    headerNameFault(name) === undefined &&
    typeof value === 'string' &&
    headerValueFault(name, value) === undefined;
  return entries.length <= MAX_ANSWER_HEADERS && entries.every(isHeader);
}

function isWebAddress(value: string): boolean {
  return /^https?:\/\//i.test(value) && isUrl(value);
}
