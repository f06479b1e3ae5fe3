/**
 * Matches the beginning of a cell that spreadsheets would run as a formula (OWASP, CSV Injection). Some spreadsheets
 * read the full-width forms of these signs as the signs.
 */
export const FORMULA = /^[=+\-@\t\r\n\uff0b\uff0d\uff1d\uff20]/;
/**
 * Matches a formula, and a formula that has apostrophes before it already. If the latter got no further apostrophe,
 * reading the cell would remove an apostrophe of the text.
 */
const UNSAFE = new RegExp(`^'*${FORMULA.source.slice(1)}`);
const GUARDED = new RegExp(`^'+${FORMULA.source.slice(1)}`);

/** Returns a line of CSV (RFC 4180). A cell that a spreadsheet would run as a formula gets an apostrophe before it. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** Removes the apostrophe that {@link csvLine} puts before a formula. */
export function withoutGuard(cell: string): string {
  return GUARDED.test(cell) ? cell.slice(1) : cell;
}

function csvCell(text: string): string {
  const safe = UNSAFE.test(text) ? `'${text}` : text;
  // `replaceAll` would take two to five times as long for a text with many quotes.
  return /[",;\r\n'\t]/.test(safe) ? `"${safe.split('"').join('""')}"` : safe;
}
