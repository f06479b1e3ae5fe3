import { contact } from '../../api/contact.js';
import { message } from '../../api/message.js';
import { nextCursor } from '../../api/page-readers.js';
import { boolean, list, number, record, text } from '../../api/reader.js';

export const contactPage = record({ contacts: list(contact), next_cursor: nextCursor });
const traces = record({ messages: number, runs: number, suppressions: number });
export const deletedResult = record({ deleted: boolean, removed: traces, kept: traces });
/** Reads the answer of a dry run. */
export const deletionPreview = record({ result: deletedResult });
export const contactMessages = record({ messages: list(message), next_cursor: nextCursor });
export const contactRuns = record({
  runs: list(record({ id: text, workflow_id: text, status: text, created_at: text })),
  next_cursor: nextCursor,
});
