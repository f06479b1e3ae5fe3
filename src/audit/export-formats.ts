import { FORMULA } from '../text/csv-line.js';
import type { AuditEntryView } from './audit.results.js';

const COLUMNS = [
  'id',
  'at',
  'caller_kind',
  'caller_id',
  'action',
  'subject',
  'outcome',
  'arguments_digest',
  'duration_ms',
  'address',
  'request_id',
  'client',
  'unlogged',
] as const satisfies readonly (keyof AuditEntryView)[];

/** Returns one line of JSON for each entry. */
export function toJsonLines(entries: readonly AuditEntryView[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

/**
 * Returns CSV (RFC 4180), with the names of the columns if `hasHeader`. An apostrophe is put before a text that
 * spreadsheets would run as a formula.
 */
export function toCsv(entries: readonly AuditEntryView[], hasHeader: boolean): string {
  const rows = entries.map((entry) => COLUMNS.map((column) => cell(entry[column])));
  const lines = hasHeader ? [[...COLUMNS], ...rows] : rows;
  return lines.map((line) => `${line.join(',')}\r\n`).join('');
}

function cell(value: string | number | null): string {
  if (value === null) return '';
  const text = String(value);
  const safe = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
