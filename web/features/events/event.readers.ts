import { nextCursor } from '../../api/page-readers.ts';
import { list, nullable, number, record, text } from '../../api/reader.ts';

const event = record({
  id: text,
  name: text,
  emitted_at: text,
  contact_id: nullable(text),
  run_id: nullable(text),
  data_bytes: number,
  data_preview: text,
  started_runs: number,
  continued_runs: number,
});

export const eventPage = record({ events: list(event), next_cursor: nextCursor });

export interface EventFilters {
  name?: string;
}

/** Reads the filters from the address of the page. */
export function readEventFilters({ name }: Readonly<Record<string, unknown>>): EventFilters {
  return typeof name === 'string' && name !== '' ? { name } : {};
}
