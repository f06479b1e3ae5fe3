import { once } from 'node:events';
import type { Connection, Submittable } from 'pg';
import { toError } from '../../errors/app-error.js';

/** The type declarations of pg leave out these methods. */
interface CopyConnection extends Connection {
  sendCopyFromChunk(chunk: Buffer): void;
  sendCopyFail(reason: string): void;
  endCopyFrom(): void;
}

/**
 * Sends bytes to `COPY … FROM STDIN`. It takes the next bytes when the server has received the previous ones, so even a
 * large table needs little memory. When the source fails, PostgreSQL stores nothing, and `done` rejects with the error
 * of the source.
 */
export class CopyIn implements Submittable {
  /** A promise of the number of rows that PostgreSQL stored. */
  readonly done: Promise<number>;
  private rows = 0;
  private sourceError?: Error;
  private readonly ended = new AbortController();
  private resolve: (rows: number) => void;
  private reject: (error: Error) => void;

  constructor(
    private readonly statement: string,
    private readonly source: AsyncIterable<Buffer>,
  ) {
    this.done = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  submit(connection: Connection): undefined {
    connection.query(this.statement);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    void this.send(connection);
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.rows = Number(text.split(' ')[1]);
  }

  handleReadyForQuery(): void {
    this.resolve(this.rows);
  }

  handleError(error: unknown): void {
    this.ended.abort();
    this.reject(this.sourceError ?? toError(error));
  }

  private async send(connection: CopyConnection): Promise<void> {
    const { signal } = this.ended;
    try {
      for await (const chunk of this.source) {
        if (signal.aborted) return;
        connection.sendCopyFromChunk(chunk);
        if (connection.stream.writableNeedDrain) {
          await once(connection.stream, 'drain', { signal });
        }
      }
      if (!signal.aborted) connection.endCopyFrom();
    } catch (error) {
      // The statement or the connection has failed, and `done` has rejected with that error.
      if (signal.aborted) return;
      this.sourceError = toError(error);
      connection.sendCopyFail('The source of the rows failed.');
    }
  }
}
