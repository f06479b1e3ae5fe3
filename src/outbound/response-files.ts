import { isUtf8 } from 'node:buffer';
import type { Fault } from '../errors/app-error.js';
import { AppError } from '../errors/app-error.js';
import { fileNameOf } from '../files/file-name.js';
import { type FileFacts, type FilesService, MOST_FILE_BYTES } from '../files/files.service.js';
import type { ToolCall } from '../tools/contract/tool-call.js';
import {
  type BodyLimits,
  type HttpResponse,
  MOST_RESPONSE_BYTES,
  type ResponseHead,
} from './http-exchange.js';
import type { HttpRequestInput } from './http-request.inputs.js';
import type { FilledRequest } from './request-secrets.service.js';
import { isTextType, type ParsedBody, parseBytes, decompressBody } from './response-body.js';

const NO_BODY: ParsedBody = { json: null, text: null };

/** Returns the faults of the arguments of a step that concern files. The arguments have not been validated. */
export function fileFaults({ response, pages }: Readonly<Record<string, unknown>>): Fault[] {
  if (response !== 'file' || pages === undefined || pages === null) return [];
  return [{ path: 'response', message: 'must not be file together with pages' }];
}

/** Returns the limits for responses to this request: 10 MiB for responses that may become files. */
export function limitsOf(
  input: HttpRequestInput,
  isAccepted: (status: number) => boolean,
  files: FilesService,
  call: ToolCall,
): BodyLimits {
  return {
    mostBytes: (head) =>
      isAccepted(head.status) && mayBeFile(input, head) ? MOST_FILE_BYTES : MOST_RESPONSE_BYTES,
    beforeLarge: (signal) => files.reserve(call, signal),
    advice: (head) =>
      !input.pages && isAccepted(head.status) && !mayBeFile(input, head)
        ? ` To keep up to ${MOST_FILE_BYTES} bytes as a file, set response to file.`
        : '',
  };
}

/**
 * Returns the body of an accepted response as a value, or keeps it as a file. The body becomes a file when the step
 * asks for one, or when neither its type nor its bytes are text.
 */
export async function bodyOrFile(
  input: HttpRequestInput,
  { url, filled, response }: { url: string; filled: FilledRequest; response: HttpResponse },
  files: FilesService,
  call: ToolCall,
): Promise<{ body: ParsedBody; file?: FileFacts }> {
  const most = mayBeFile(input, response) ? MOST_FILE_BYTES : MOST_RESPONSE_BYTES;
  // Reserve memory, because a small body can be large when it is decompressed.
  if (most === MOST_FILE_BYTES && response.headers['content-encoding'] !== undefined) {
    await files.reserve(call, call.signal);
  }
  const bytes = await decompressBody(response, most);
  const isValue = input.response === 'auto' && (isTextual(response, bytes) || bytes.length === 0);
  if (isValue) return { body: parseBytes(response, bytes) };
  const { headers } = response;
  const [named, from, contentType] = await filled.hide([
    headers['content-disposition'],
    url,
    headers['content-type'] ?? '',
  ] as const);
  const file = files.keep(call, {
    name: await fileNameOf(named, from, (names) => filled.hide(names)),
    contentType,
    bytes: await filled.hideIn(bytes),
    key: input.idempotency_key ?? '',
  });
  return { body: NO_BODY, file };
}

/**
 * Throws when `response: file` and `pages` are both present. The check of the definition cannot find this fault when an
 * expression returns one of the two arguments.
 */
export function assertFilesPossible(input: HttpRequestInput): void {
  const [fault] = fileFaults({ ...input });
  if (fault) throw AppError.invalidField(fault.path, fault.message);
}

function mayBeFile(
  { response, pages }: HttpRequestInput,
  { headers }: Pick<ResponseHead, 'headers'>,
) {
  if (pages) return false;
  return response === 'file' || !isTextType(headers['content-type'] ?? '');
}

/**
 * Returns true when the body is text. The bytes decide too, because many systems send text as application/octet-stream
 * or without a type.
 */
function isTextual({ headers }: Pick<ResponseHead, 'headers'>, bytes: Buffer): boolean {
  if (isTextType(headers['content-type'] ?? '')) return true;
  return bytes.length <= MOST_RESPONSE_BYTES && isUtf8(bytes) && !bytes.includes(0);
}
