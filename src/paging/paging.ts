import { AppError } from '../errors/app-error.js';
import { Integer, Text } from '../tools/schema/fields.js';

/** The position of the last row of a page that is sorted by time. The next page begins after it. */
export interface TimePosition {
  at: Date;
  id: string;
}

// The end of the year 9999. PostgreSQL and JavaScript write later years differently.
const LATEST = 253_402_300_799_999;

/**
 * The largest size of a page, in characters that `sizeOf` counts. A page whose first row is larger has only this row.
 */
const MAX_PAGE_SIZE = 128 * 1024;

/**
 * Returns the first `limit` rows, and a cursor from the last of them if there are more rows. `sizeOf` returns the
 * number of characters in the large members of a row. A page with large rows ends earlier, so that its encoding stays
 * small.
 */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (last: Row) => string,
  sizeOf?: (row: Row) => number,
): { page: Row[]; nextCursor: string | null } {
  const fitting = sizeOf ? Math.max(1, countFitting(rows, sizeOf)) : limit;
  const page = rows.slice(0, Math.min(limit, fitting));
  const last = rows.length > page.length ? page.at(-1) : undefined;
  return { page, nextCursor: last === undefined ? null : cursorOf(last) };
}

function countFitting<Row>(rows: readonly Row[], sizeOf: (row: Row) => number): number {
  let size = 0;
  const end = rows.findIndex((row) => (size += sizeOf(row)) > MAX_PAGE_SIZE);
  return end < 0 ? rows.length : end;
}

/** Encodes values as an opaque cursor. */
export function writeCursor(parts: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/**
 * Returns the values of a cursor, or an empty list for an invalid cursor. Callers must check each value, because
 * callers can forge cursors.
 */
export function readCursor(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

/** Makes a cursor for a page that is sorted by creation time. */
export function timeCursor({ createdAt, id }: { createdAt: Date; id: string }): string {
  return writeCursor([createdAt.getTime(), id]);
}

/**
 * Returns the position of a cursor, or undefined for the first page. Throws `invalid_arguments` for a text that is not
 * a cursor of {@link timeCursor}.
 */
export function readTimeCursor(cursor: string | undefined): TimePosition | undefined {
  if (cursor === undefined) return undefined;
  const [at, id, ...more] = readCursor(cursor);
  const isTime = Number.isInteger(at) && Number(at) >= 0 && Number(at) <= LATEST;
  if (isTime && typeof id === 'string' && /^\w{1,64}$/.test(id) && more.length === 0) {
    return { at: new Date(Number(at)), id };
  }
  throw AppError.invalid(
    'cursor was not returned by this tool. Use next_cursor of the previous page.',
    [{ path: 'cursor', message: 'was not returned by this tool' }],
  );
}

/** Declares the arguments of every paged list. */
export class PageInput {
  @Integer({ min: 1, max: 100 })
  limit: number = 20;

  @Text('next_cursor of the previous page, with the same filters.', { optional: true, max: 1024 })
  cursor?: string;
}

/** Declares the cursor of a result that is one page of a list. */
export class PageResult {
  @Text('The cursor of the next page; null on the last.', { nullable: true })
  next_cursor: string | null;
}
