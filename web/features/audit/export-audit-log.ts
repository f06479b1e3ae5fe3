import { callTool } from '../../api/tools.ts';
import { auditPart } from './audit.readers.ts';
import { type AuditFilters, toArguments } from './audit-filters.ts';

export type ExportFormat = 'csv' | 'json_lines';
const FILES = {
  csv: { name: 'audit-log.csv', type: 'text/csv' },
  json_lines: { name: 'audit-log.jsonl', type: 'application/x-ndjson' },
} as const;

/** Reads every matching entry, part by part, and saves them as one file. Returns their number. */
export async function exportAuditLog(
  filters: AuditFilters,
  format: ExportFormat,
  onProgress: (count: number) => void,
): Promise<number> {
  const parts: string[] = [];
  let count = 0;
  let cursor: string | null | undefined;
  do {
    const given = { ...toArguments(filters), format, ...(cursor && { cursor }) };
    const part = await callTool('export_audit_log', given, auditPart);
    parts.push(part.content);
    count += part.count;
    cursor = part.next_cursor;
    onProgress(count);
  } while (cursor);
  save(new Blob(parts, { type: FILES[format].type }), FILES[format].name);
  return count;
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
