import { AppError } from '../errors/app-error.js';
import { numberText } from '../text/exact-numbers.js';
import { readHeaders } from './http-headers.js';
import type { HttpRequestInput } from './http-request.inputs.js';

const MOST_FIELDS = 1000;
const MOST_QUERY_CHARACTERS = 8192;

/** Holds a request as it is sent. Header names are lowercase. */
export interface RequestContent {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/**
 * Returns the request that the arguments describe, with the headers of its credential. Throws `invalid_arguments` for two
 * bodies, and for values that a query, a form or a header cannot have.
 */
export async function requestContent(
  input: HttpRequestInput,
  credential: Readonly<Record<string, string>>,
): Promise<RequestContent> {
  const { idempotency_key: key } = input;
  const content = await bodyOf(input);
  return {
    method: input.method,
    url: urlWithQuery(input),
    headers: {
      accept: '*/*',
      'user-agent': 'Switchboard',
      ...(content && { 'content-type': content.type }),
      ...readHeaders(input.headers ?? {}),
      // The headers may contain another content-type, but only this one names the boundary between the parts.
      ...(input.multipart && content && { 'content-type': content.type }),
      ...readHeaders(credential),
      // A compressed response needs more memory than its size says. It is unpacked if it comes nevertheless.
      'accept-encoding': 'identity',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(content && { body: content.bytes }),
  };
}

async function bodyOf(
  input: HttpRequestInput,
): Promise<{ type: string; bytes: Buffer } | undefined> {
  const given = (['json', 'form', 'multipart', 'body'] as const).filter(
    (name) => input[name] !== undefined,
  );
  if (given.length > 1) {
    throw AppError.invalidField(given[1]!, `must not be given together with ${given[0]!}`);
  }
  const { json, form, multipart, body } = input;
  if (json !== undefined) return text('application/json', JSON.stringify(json));
  if (body !== undefined) return text('text/plain; charset=utf-8', body);
  if (form !== undefined) {
    return text(
      'application/x-www-form-urlencoded',
      new URLSearchParams(fields('form', form)).toString(),
    );
  }
  return multipart === undefined ? undefined : await parts(multipart);
}

function text(type: string, content: string): { type: string; bytes: Buffer } {
  return { type, bytes: Buffer.from(content) };
}

async function parts(multipart: object): Promise<{ type: string; bytes: Buffer }> {
  const form = new FormData();
  for (const [name, value] of fields('multipart', multipart)) form.append(name, value);
  const encoded = new Response(form);
  return {
    type: encoded.headers.get('content-type')!,
    bytes: Buffer.from(await encoded.arrayBuffer()),
  };
}

function urlWithQuery({ url: given, query }: HttpRequestInput): string {
  if (query === undefined || !URL.canParse(given)) return given;
  const url = new URL(given);
  for (const [name, value] of fields('query', query)) url.searchParams.append(name, value);
  if (url.search.length > MOST_QUERY_CHARACTERS) {
    throw AppError.invalidField('query', `must be at most ${MOST_QUERY_CHARACTERS} characters`);
  }
  return url.href;
}

/** Returns the fields as pairs of texts. A list gives one pair for each of its items, and null gives none. */
function fields(argument: string, given: object): [name: string, value: string][] {
  const pairs = Object.entries(given).flatMap(([name, value]: [string, unknown]) =>
    (Array.isArray(value) ? value : [value])
      .filter((item) => item !== null)
      .map((item: unknown): [string, string] => [name, fieldText(argument, name, item)]),
  );
  if (pairs.length > MOST_FIELDS) {
    throw AppError.invalidField(argument, `must have at most ${MOST_FIELDS} values`);
  }
  return pairs;
}

function fieldText(argument: string, name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'boolean') return String(value);
  const path = `${argument}.${name.slice(0, 64).toWellFormed()}`;
  throw AppError.invalidField(path, 'must be text, a number, a boolean, or a list of these');
}
