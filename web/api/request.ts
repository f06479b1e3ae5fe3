import { ApiError, toApiError } from './api-error.js';
import { type Reader, UnexpectedAnswer } from './reader.js';
import { watchSlow } from './slow-requests.js';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

interface Options {
  body?: unknown;
  /** The file that is sent in place of a JSON body, with its own type. */
  file?: Blob;
  signal?: AbortSignal;
  /** The response of an earlier request. It is used in place of a new request, unless the earlier request failed. */
  early?: Promise<Response> | undefined;
}

/** Sends a request to the service and checks its answer. Every failure is an {@link ApiError}. */
export function request<T>(
  method: Method,
  path: string,
  reader: Reader<T>,
  options: Options = {},
): Promise<T> {
  return watchSlow(exchange(method, path, reader, options));
}

async function exchange<T>(
  method: Method,
  path: string,
  reader: Reader<T>,
  { body, file, signal, early }: Options,
): Promise<T> {
  const begun = await early?.catch(() => undefined);
  const response = begun ?? (await send(method, path, contentOf(body, file), signal));
  const answer = response.status === 204 ? null : await readJson(response, signal);
  if (!response.ok) throw toApiError(response.status, answer, response.headers.get('Retry-After'));
  try {
    return reader(answer, '');
  } catch (error) {
    if (!(error instanceof UnexpectedAnswer)) throw error;
    throw new ApiError(response.status, 'unexpected', error.message);
  }
}

/** Returns true when the service answers, with any status. */
export async function isReachable(): Promise<boolean> {
  return await send('GET', '/health/live', {}, undefined).then(
    () => true,
    () => false,
  );
}

function contentOf(body: unknown, file: Blob | undefined): RequestInit {
  if (file) return { body: file };
  if (body === undefined) return {};
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

async function send(
  method: Method,
  path: string,
  content: RequestInit,
  signal: AbortSignal | undefined,
): Promise<Response> {
  try {
    return await fetch(path, {
      method,
      credentials: 'same-origin',
      ...content,
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, 'offline', 'The service cannot be reached.');
  }
}

async function readJson(response: Response, signal: AbortSignal | undefined): Promise<unknown> {
  let text: string;
  try {
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(response.status, 'cut_off', 'The connection ended during the answer.');
  }
  try {
    return JSON.parse(text);
  } catch {
    // A proxy answers errors with its own page.
    if (!response.ok) return null;
    throw new ApiError(response.status, 'unexpected', 'The answer is not JSON.');
  }
}
