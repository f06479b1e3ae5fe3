import { AppError } from '../errors/app-error.js';
import type { MessagePosition } from './messages.repository.js';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ID = /^[A-Za-z0-9_]{1,64}$/;

/** An opaque text for the last message of a page. */
export function encodeCursor({ createdAt, id }: MessagePosition): string {
  return Buffer.from(JSON.stringify([createdAt.toISOString(), id])).toString('base64url');
}

/** Throws `invalid_arguments` unless `cursor` looks like one that `encodeCursor` made. */
export function decodeCursor(cursor: string): MessagePosition {
  const [time, id] = parts(cursor);
  const createdAt = new Date(typeof time === 'string' && TIME.test(time) ? time : Number.NaN);
  if (Number.isNaN(createdAt.getTime()) || typeof id !== 'string' || !ID.test(id)) {
    throw AppError.invalid('This cursor was not made by list_messages.', [
      { path: 'cursor', message: 'must be a next_cursor of list_messages' },
    ]);
  }
  return { createdAt, id };
}

function parts(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) && value.length === 2 ? value : [];
  } catch {
    return [];
  }
}
