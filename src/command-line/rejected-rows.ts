import { type FileHandle, open, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CommandError } from './command-error.js';
import type { Row, RowError } from './rows.js';

const EXTENSION = /\.(jsonl|ndjson|json)$/i;

/** Returns the name of the file for rejected rows: `rows.rejected.jsonl` beside `rows.jsonl`. */
export function rejectedFile(file: string | undefined): string {
  if (file === undefined) return 'stdin.rejected.jsonl';
  return join(dirname(file), `${basename(file).replace(EXTENSION, '')}.rejected.jsonl`);
}

/** Writes each row that was not carried out, with its number and the reason. */
export class RejectedRows {
  private constructor(
    readonly path: string,
    private readonly file: FileHandle,
  ) {}

  /**
   * Opens the file before any row is sent, so that no rejected row can be lost later. Replaces the file of an earlier
   * command, or continues it. Only the owner of the file may read it, because the rows contain personal data.
   */
  static async open(path: string, continues: boolean): Promise<RejectedRows> {
    try {
      return new RejectedRows(path, await open(path, continues ? 'a' : 'w', 0o600));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new CommandError(
        `The file for rejected rows, ${path}, cannot be written (${code}). Choose an input file in another folder.`,
        { cause: error },
      );
    }
  }

  async write(rejected: readonly { row: Row; error: RowError }[]): Promise<void> {
    if (rejected.length === 0) return;
    const lines = rejected.map(({ row, error }) => `${encode(row, error)}\n`);
    try {
      await this.file.appendFile(lines.join(''));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new CommandError(`Writing ${this.path} failed (${code}).`, { cause: error });
    }
  }

  /** Closes the file, and removes it when it is empty. */
  async close(): Promise<void> {
    const { size } = await this.file.stat();
    await this.file.close();
    if (size === 0) await unlink(this.path).catch(() => undefined);
  }
}

function encode(row: Row, error: RowError): string {
  const head = `{"row":${row.number},"error":${JSON.stringify(error)}`;
  if ('json' in row) return `${head},"arguments":${row.json}}`;
  return row.text === undefined ? `${head}}` : `${head},"text":${JSON.stringify(row.text)}}`;
}
