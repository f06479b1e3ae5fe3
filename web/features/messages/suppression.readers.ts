import { nextCursor } from '../../api/page-readers.js';
import { type Read, boolean, list, nullable, record, text } from '../../api/reader.js';

const suppression = record({
  channel: text,
  address: text,
  reason: text,
  message_id: nullable(text),
  created_at: text,
});
export type Suppression = Read<typeof suppression>;
export const suppressionPage = record({ suppressions: list(suppression), next_cursor: nextCursor });
export const suppressionResult = record({ suppression });
export const removedSuppression = record({ removed: boolean });
