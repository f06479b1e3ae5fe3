import { nextCursor } from '../../api/page-readers.ts';
import { type Read, list, nullable, number, record, text } from '../../api/reader.ts';

const entry = record({
  id: text,
  at: text,
  caller_kind: text,
  caller_id: text,
  action: text,
  subject: nullable(text),
  outcome: text,
  arguments_digest: nullable(text),
  duration_ms: nullable(number),
  address: nullable(text),
  request_id: nullable(text),
  client: nullable(text),
  unlogged: number,
});
export type AuditEntry = Read<typeof entry>;
export const auditPage = record({ entries: list(entry), next_cursor: nextCursor });
export const auditPart = record({ content: text, count: number, next_cursor: nextCursor });
