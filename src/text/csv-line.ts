/** Matches the beginning of a cell that spreadsheets would run as a formula (OWASP, CSV Injection). */
const FORMULA = /^[=+\-@\t\r]/;
const GUARDED = /^'[=+\-@\t\r]/;

/** Returns a line of CSV (RFC 4180). A cell that a spreadsheet would run as a formula gets an apostrophe before it. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** Removes the apostrophe that {@link csvLine} puts before a formula. */
export function withoutGuard(cell: string): string {
  return GUARDED.test(cell) ? cell.slice(1) : cell;
}

function csvCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",;\r\n'\t]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
