import type { ClientBase, Connection } from 'pg';
import { AppError } from '../../errors/app-error.js';

/** The most bytes that a connection receives for the statements of one round trip. */
export const MOST_ANSWER_BYTES = 256 * 1024 * 1024;
/** The memory that a row takes besides its values, and that a value takes besides its characters, in bytes. */
const ROW_BYTES = 64;
const VALUE_BYTES = 32;

/**
 * Ends the connection when the answer to one round trip has more than `mostBytes`, and fails its statements with
 * `payload_too_large`. Without a limit, a value of 512 MiB ends the process: pg throws in its listener of the socket.
 * Call it once for each connection, after the connection is ready.
 */
export function limitAnswers(client: ClientBase, mostBytes = MOST_ANSWER_BYTES): void {
  const { connection } = client as ClientBase & { connection: Connection };
  let received = 0;
  connection.on('readyForQuery', () => {
    received = 0;
  });
  // This listener runs before the parser of pg. Otherwise the parser would get the last chunk of such a value first.
  connection.stream.prependListener('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > mostBytes) endAnswer(connection);
  });
}

/** Returns the approximate memory that a row takes besides the characters of its values, in bytes. */
export function rowBytes(columns: number): number {
  return ROW_BYTES + columns * VALUE_BYTES;
}

/** Ends the connection, and fails the statements that wait for their answers. */
export function endAnswer({ stream }: Connection): void {
  const megabytes = MOST_ANSWER_BYTES / 1024 / 1024;
  const message = `The answer of the database is larger than ${megabytes} MiB. Read fewer rows or smaller values.`;
  stream.destroy(new AppError('payload_too_large', message));
}
