import { AppError } from '../errors/app-error.js';
import type { LoadedFile } from '../files/files.service.js';
import { numberText } from '../text/exact-numbers.js';
import { readHeaders } from './http-headers.js';
import type { HttpRequestInput } from './http-request.inputs.js';

const MOST_FIELDS = 1000;
const MOST_QUERY_CHARACTERS = 8192;

/** A request as it is sent. Header names are lowercase. */
export interface RequestContent {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/**
 * Returns the request that the arguments describe, with the headers of its credential. Throws `invalid_arguments` for
 * values that a query, a form or a header cannot have.
 */
export async function requestContent(
  input: HttpRequestInput,
  credential: Readonly<Record<string, string>>,
  files: ReadonlyMap<string, LoadedFile>,
): Promise<RequestContent> {
  const { idempotency_key: key } = input;
  const content = await bodyOf(input, files);
  return {
    method: input.method,
    url: urlWithQuery(input),
    headers: {
      accept: '*/*',
      'user-agent': 'Switchboard',
      ...(content && { 'content-type': content.type }),
      ...readHeaders(input.headers ?? {}),
      // The headers may contain another content-type, but only this content-type names the boundary between the parts.
      ...(input.multipart && content && { 'content-type': content.type }),
      ...readHeaders(credential),
      // A compressed response needs more memory than its size shows, so none is requested. If one comes, it is still
      // decompressed.
      'accept-encoding': 'identity',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(content && { body: content.bytes }),
  };
}

/** Throws `invalid_arguments` for a request with two bodies. */
export function assertOneBody(input: HttpRequestInput): void {
  const given = (['json', 'form', 'multipart', 'body', 'file'] as const).filter(
    (name) => input[name] !== undefined,
  );
  if (given.length > 1) {
    throw AppError.invalidField(given[1]!, `must not be given together with ${given[0]!}`);
  }
}

/** Returns the ids of the files that the request sends. */
export function fileIdsOf({ file, multipart }: HttpRequestInput): ReadonlySet<string> {
  const parts = Object.values(multipart ?? {}).flatMap((value: unknown) => value);
  const ids = parts.filter(isFilePart).map((part) => part.file);
  return new Set(file === undefined ? ids : [...ids, file]);
}

async function bodyOf(
  input: HttpRequestInput,
  files: ReadonlyMap<string, LoadedFile>,
): Promise<{ type: string; bytes: Buffer } | undefined> {
  const { json, form, multipart, body, file } = input;
  if (json !== undefined) return text('application/json', JSON.stringify(json));
  if (file !== undefined) {
    const { content_type: type, bytes } = files.get(file)!;
    return { type, bytes };
  }
  if (body !== undefined) return text('text/plain; charset=utf-8', body);
  if (form !== undefined) {
    return text(
      'application/x-www-form-urlencoded',
      new URLSearchParams(fields('form', form)).toString(),
    );
  }
  return multipart === undefined ? undefined : await parts(multipart, files);
}

function text(type: string, content: string): { type: string; bytes: Buffer } {
  return { type, bytes: Buffer.from(content) };
}

async function parts(
  multipart: object,
  files: ReadonlyMap<string, LoadedFile>,
): Promise<{ type: string; bytes: Buffer }> {
  const form = new FormData();
  for (const [name, value] of items('multipart', multipart)) {
    if (!isFilePart(value)) form.append(name, fieldText('multipart', name, value));
    else {
      const { bytes, content_type: type, name: fileName } = files.get(value.file)!;
      form.append(name, new File([bytes], value.name ?? fileName, { type }));
    }
  }
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

function fields(argument: string, given: object): [name: string, value: string][] {
  return items(argument, given).map(([name, value]) => [name, fieldText(argument, name, value)]);
}

/** Returns the fields as pairs. A list gives one pair for each of its items, and null gives none. */
function items(argument: string, given: object): [name: string, value: unknown][] {
  const pairs = Object.entries(given).flatMap(([name, value]: [string, unknown]) =>
    (Array.isArray(value) ? value : [value])
      .filter((item) => item !== null)
      .map((item: unknown): [string, unknown] => [name, item]),
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

function isFilePart(value: unknown): value is { file: string; name?: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { file, name, ...others } = value as Record<string, unknown>;
  const isNamed = name === undefined || (typeof name === 'string' && name.length <= 200);
  return typeof file === 'string' && isNamed && Object.keys(others).length === 0;
}
