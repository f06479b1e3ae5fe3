import { nextCursor } from '../../api/page-readers.js';
import {
  type Read,
  boolean,
  json,
  list,
  nullable,
  number,
  record,
  text,
} from '../../api/reader.js';

export const SEGMENT_KINDS = ['dynamic', 'static'] as const;

const segment = record({
  id: text,
  name: text,
  description: nullable(text),
  kind: text,
  filters: nullable(list(json)),
  contacts: number,
  is_complete: boolean,
  evaluated_at: nullable(text),
  created_at: text,
});
export type Segment = Read<typeof segment>;

export const segmentResult = record({ segment });
export const deletedSegment = record({ deleted: boolean });
export const segmentPage = record({ segments: list(segment), next_cursor: nextCursor });
export const addedToSegment = record({ added: number });
export const removedFromSegment = record({ removed: number });
/** The tools whose results change when a segment changes. */
export const SEGMENT_TOOLS = [
  'list_segments',
  'get_segment',
  'list_segment_contacts',
  'search_contacts',
] as const;
