import { nextCursor } from '../../api/page-readers.ts';
import { type Read, list, nullable, number, record, text } from '../../api/reader.ts';

const call = record({
  id: text,
  at: text,
  caller_kind: text,
  caller_id: text,
  tool: nullable(text),
  outcome: text,
  error: nullable(text),
  duration_ms: number,
  request_id: nullable(text),
  client: nullable(text),
  unlogged: number,
});
export type Call = Read<typeof call>;
export const callList = record({ calls: list(call), next_cursor: nextCursor });

/** Holds the filters of the log of calls, which are in the address of the page. */
export interface CallFilters {
  who?: 'everybody';
  outcome?: string;
  tool?: string;
}

/** Identifies a call by the id of its request and its own id, because one request can have a batch of calls. */
export interface CallLink {
  request?: string;
  call?: string;
}

/** Reads the filters and the open call from an address. Unknown or malformed parts are left out. */
export function readCallFilters(search: Record<string, unknown>): CallFilters & CallLink {
  const { who, outcome, tool, request, call: id } = search;
  return {
    ...(who === 'everybody' && { who }),
    ...(typeof outcome === 'string' && outcome && { outcome }),
    ...(typeof tool === 'string' && tool && { tool }),
    // The router reads the value of `call=5` in a URL as a number.
    ...(typeof request === 'string' && isId(id) && { request, call: String(id) }),
  };
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
