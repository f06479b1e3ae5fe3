import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { AppError } from '../errors/app-error.js';
import { Doc } from '../tools/schema/doc.decorator.js';

/** The last row of a page that is ordered by time: where the next one begins. */
export interface TimePosition {
  at: Date;
  id: string;
}

// The last millisecond of the year 9999, beyond which PostgreSQL and JavaScript write years differently.
const LATEST = 253_402_300_799_999;

/** The first `limit` rows, and a cursor made from the last of them if there is another page. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (last: Row) => string,
): { page: Row[]; nextCursor: string | null } {
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { page, nextCursor: last === undefined ? null : cursorOf(last) };
}

/** An opaque text for a list of values. */
export function writeCursor(parts: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** The values of a cursor, none if it is no cursor. Anybody can write one, so each value must be checked. */
export function readCursor(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

/** A cursor for the row of a page that is ordered by when rows were created. */
export function timeCursor({ createdAt, id }: { createdAt: Date; id: string }): string {
  return writeCursor([createdAt.getTime(), id]);
}

/** Undefined for the first page. Throws `invalid_arguments` unless {@link timeCursor} could have made the cursor. */
export function readTimeCursor(cursor: string | undefined): TimePosition | undefined {
  if (cursor === undefined) return undefined;
  const [at, id, ...more] = readCursor(cursor);
  const isTime = Number.isInteger(at) && Number(at) >= 0 && Number(at) <= LATEST;
  if (isTime && typeof id === 'string' && /^\w{1,64}$/.test(id) && more.length === 0) {
    return { at: new Date(Number(at)), id };
  }
  throw AppError.invalid('cursor is not one that this tool gave.', [
    { path: 'cursor', message: 'is not one that this tool gave' },
  ]);
}

/** The arguments of every list that comes in pages; see `paging.ts`. */
export class PageInput {
  @Doc('Most to return.')
  @IsInt()
  @Min(1)
  @Max(100)
  limit: number = 20;

  @Doc('next_cursor of the page before, with the same filters.')
  @IsOptional()
  @IsString()
  @MaxLength(1024)
  cursor?: string;
}
