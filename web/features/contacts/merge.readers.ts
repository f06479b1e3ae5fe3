import { contact } from '../../api/contact.js';
import { type Read, list, number, record, text } from '../../api/reader.js';

const moved = record({
  messages: number,
  runs: number,
  waits: number,
  events: number,
  aliases: number,
});
export type Moved = Read<typeof moved>;
export const mergeResult = record({ contact, merged_id: text, moved });
/** Reads the answer of a dry run. */
export const mergePreview = record({ result: mergeResult });
export const unmergeResult = record({ contact });
const merge = record({ merged_id: text, name: text, merged_at: text, undo_until: text });
export type ContactMerge = Read<typeof merge>;
export const mergeList = record({ merges: list(merge) });
