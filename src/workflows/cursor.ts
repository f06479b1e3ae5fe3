import { AppError } from '../errors/app-error.js';

/** The last row of a page: where the next one begins. */
export interface Position {
  at: Date;
  id: string;
}

// The last millisecond of the year 9999, beyond which PostgreSQL and JavaScript write years differently.
const LATEST = 253_402_300_799_999;

export function encodeCursor(position: Position): string {
  return Buffer.from(JSON.stringify([position.at.getTime(), position.id])).toString('base64url');
}

/** Throws `invalid_arguments` unless the text is a cursor that {@link encodeCursor} could have made. */
export function decodeCursor(cursor: string): Position {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    value = undefined;
  }
  const [at, id, ...more] = Array.isArray(value) ? (value as unknown[]) : [];
  const isTime = Number.isInteger(at) && Number(at) >= 0 && Number(at) <= LATEST;
  if (!isTime || typeof id !== 'string' || !/^\w{1,64}$/.test(id) || more.length > 0) {
    throw AppError.invalid('cursor is not one that this tool gave.', [
      { path: 'cursor', message: 'is not one that this tool gave' },
    ]);
  }
  return { at: new Date(Number(at)), id };
}
