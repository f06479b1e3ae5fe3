import { Readable } from 'node:stream';
import type { Connection, Submittable } from 'pg';
import { toError } from '../../errors/app-error.js';

/** The approximate number of bytes of rows that the stream holds. */
const HELD_BYTES = 256 * 1024;

/**
 * Reads the output of `COPY … TO STDOUT`, as a stream of bytes. While nobody reads the stream, nothing is read from the
 * server, so even a large table needs little memory. Ending the stream early closes the connection.
 */
export class CopyOut extends Readable implements Submittable {
  /** The number of rows that PostgreSQL sent. It is set when the stream has ended. */
  rows = 0;
  private connection?: Connection;
  private isFinished = false;

  constructor(private readonly statement: string) {
    super({ highWaterMark: HELD_BYTES });
  }

  submit(connection: Connection): undefined {
    this.connection = connection;
    connection.query(this.statement);
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    // The chunk is copied, because the driver uses its memory again for later messages.
    if (!this.push(Buffer.from(chunk))) this.connection!.stream.pause();
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.rows = Number(text.split(' ')[1]);
  }

  handleReadyForQuery(): void {
    this.isFinished = true;
    this.push(null);
  }

  handleError(error: unknown): void {
    this.isFinished = true;
    this.destroy(toError(error));
  }

  override _read(): void {
    this.connection?.stream.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    // A paused connection would never read the answers to later statements.
    if (!this.isFinished) this.connection?.stream.destroy();
    done(error);
  }
}
