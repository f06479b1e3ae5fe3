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

export function readCallFilters(search: Record<string, unknown>): CallFilters {
  const { who, outcome, tool } = search;
  return {
    ...(who === 'everybody' && { who }),
    ...(typeof outcome === 'string' && outcome && { outcome }),
    ...(typeof tool === 'string' && tool && { tool }),
  };
}
