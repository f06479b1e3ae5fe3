import { isJsonObject } from '../text/is-json-object.js';
/** The id of a request. An id of this type can be echoed without loss. */
export type JsonRpcId = string | number;

export type JsonObject = Record<string, unknown>;

/** JSON text. Frequent text is stored as UTF-8, because encoding a long list takes longer than most calls. */
export type JsonText = string | Buffer;

/** One request, notification or response of a message, with a checked envelope. */
export type Member =
  | { kind: 'request'; id: JsonRpcId; method: string; params?: JsonObject | unknown[] }
  | { kind: 'notification'; method: string; params?: JsonObject | unknown[] }
  | { kind: 'response' }
  | { kind: 'invalid'; id: JsonRpcId | null; reason: string };

/** The largest number of characters of an id or a token that later messages repeat. */
export const LONGEST_ID = 256;

/** Checks the envelope of a member (JSON-RPC 2.0, sections 4 and 5), but not its method and parameters. */
export function parseMember(value: unknown): Member {
  if (!isJsonObject(value)) return invalid(value, 'A request must be an object.');
  if (value.jsonrpc !== '2.0') return invalid(value, 'jsonrpc must be "2.0".');
  if (isResponse(value)) return { kind: 'response' };
  const isRequest = Object.hasOwn(value, 'id');
  if (isRequest && !isId(value.id)) {
    return invalid(
      value,
      `id must be a string of at most ${LONGEST_ID} characters, or a number that can be echoed without loss.`,
    );
  }
  if (typeof value.method !== 'string') return invalid(value, 'method must be a string.');
  const { method, params } = value;
  if (params !== undefined && (typeof params !== 'object' || params === null)) {
    return invalid(value, 'params must be an object.');
  }
  const given = params as JsonObject | unknown[] | undefined;
  return isRequest
    ? { kind: 'request', id: value.id as JsonRpcId, method, params: given }
    : { kind: 'notification', method, params: given };
}

function invalid(value: unknown, reason: string): Member {
  return { kind: 'invalid', id: readableId(value), reason };
}

/** Returns the id for a response, even to an invalid request. Returns null if no id can be echoed. */
export function readableId(value: unknown): JsonRpcId | null {
  return isJsonObject(value) && isId(value.id) ? value.id : null;
}

/** Returns an own member. Returns undefined for inherited members, such as `constructor`. */
export function own(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

const NOTHING: JsonObject = Object.freeze({});

export function metaOf(params: unknown): JsonObject {
  const meta = isJsonObject(params) ? params._meta : undefined;
  return isJsonObject(meta) ? meta : NOTHING;
}

// JSON.parse rounds numbers beyond 2^53, so the ids of two requests could become equal. A subscription keeps its id, and
// repeats it in each notification.
function isId(value: unknown): value is JsonRpcId {
  return (
    (typeof value === 'string' && value.length <= LONGEST_ID) ||
    (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER)
  );
}

function isResponse(value: JsonObject): boolean {
  return (
    !Object.hasOwn(value, 'method') &&
    (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error'))
  );
}
