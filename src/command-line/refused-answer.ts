import { COMMAND_LINE_NAMES } from '../config/command-line-settings.js';
import { CommandError } from './command-error.js';
import type { ServiceAnswer } from './service-client.js';
import { shownAddress } from './service-address.js';
import { safeLine } from './terminal.js';

/** The number of characters at the beginning of a web page that are searched for its title. */
const MAX_HEAD = 10_000;

/** Reports an answer that is not a result. */
export class RefusedAnswer extends CommandError {
  constructor(
    message: string,
    readonly status: number,
    /** The milliseconds to wait before the request is sent again, if the service gives a time. */
    readonly retryAfterMs?: number,
    /** The code of the JSON-RPC error. It is absent when something other than Switchboard answered. */
    readonly code?: number,
  ) {
    super(message);
  }
}

/**
 * Parses the body of a successful answer. Throws a {@link RefusedAnswer} for any other answer. The message of this
 * error describes the answer and says what to do.
 */
export function readAnswer(answer: ServiceAnswer, address: URL): unknown {
  const body = parseBody(answer);
  if (answer.status === 200 && body !== undefined) return body;
  const retryAfterMs = readRetryAfter(answer.headers['retry-after']);
  const { code } = (body as { error?: { code?: unknown } } | undefined)?.error ?? {};
  throw new RefusedAnswer(
    describe(answer, body, address),
    answer.status,
    retryAfterMs,
    typeof code === 'number' ? code : undefined,
  );
}

/** Returns the milliseconds until the time that the header `Retry-After` gives (RFC 9110, section 10.2.3). */
function readRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

function describe({ status, headers, text }: ServiceAnswer, body: unknown, address: URL): string {
  const shown = shownAddress(address);
  if (status >= 300 && status < 400 && headers.location) {
    return `${shown} redirects to ${safeLine(headers.location)}. Set ${COMMAND_LINE_NAMES.url} to the address of Switchboard itself.`;
  }
  if (body === undefined) {
    const title = titleOf(text);
    const what = isHtml(text) ? 'A web page' : 'Something that is not Switchboard';
    const named = title ? ` with the title "${safeLine(title)}"` : '';
    return `${what}${named} answered at ${shown} (status ${status}): a proxy, or another service. Check ${COMMAND_LINE_NAMES.url}.`;
  }
  const message = messageOf(body) ?? `${shown} answered with status ${status}.`;
  if (status === 401) {
    return `The service refuses the key in ${COMMAND_LINE_NAMES.key}: ${message}`;
  }
  if (status === 404) {
    return `${shown} has no such path. Set ${COMMAND_LINE_NAMES.url} to the address of Switchboard, without a path.`;
  }
  return message;
}

/** Returns the message of a JSON-RPC error or of problem details. */
export function messageOf(body: unknown): string | undefined {
  const { error, detail } = (body ?? {}) as { error?: { message?: unknown }; detail?: unknown };
  const message = error?.message ?? detail;
  return typeof message === 'string' ? safeLine(message) : undefined;
}

export function parseBody({ text, headers }: ServiceAnswer): unknown {
  if (!/^application\/([\w.-]+\+)?json\b/i.test(headers['content-type'] ?? '')) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function titleOf(html: string): string | undefined {
  const [, after] = html.slice(0, MAX_HEAD).split('<title>', 2);
  return after?.split('<', 1)[0];
}

function isHtml(text: string): boolean {
  return /^\s*<(!doctype|html|head|body)/i.test(text.slice(0, 1000));
}
