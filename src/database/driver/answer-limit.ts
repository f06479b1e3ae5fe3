import type { ClientBase, Connection } from 'pg';
import { AnswerMemory, endAnswer, MOST_ANSWER_BYTES } from './answer-memory.js';

/**
 * Ends the connection when the answer to one round trip has more than `mostBytes`, or when its rows take too much
 * memory. Then the statements of the round trip fail with `payload_too_large`. Without a limit, a value of 512 MiB ends
 * the process, because pg throws in a listener of the socket. Call this function once for each connection, after the
 * connection is ready.
 */
export function limitAnswers(given: ClientBase, mostBytes = MOST_ANSWER_BYTES): void {
  const client = given as ClientBase & { connection: Connection };
  const { connection } = client;
  const memory = new AnswerMemory(client);
  let received = 0;
  connection.on('readyForQuery', () => {
    received = 0;
    memory.clear();
  });
  // This listener runs before the parser of pg. Otherwise the parser would read the last chunk of an answer that is too
  // large before the connection ends.
  connection.stream.prependListener('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > mostBytes) endAnswer(connection);
  });
}
