import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder with files of rows, which `remove` deletes. */
export class RowsFolder {
  private constructor(readonly path: string) {}

  static async create(): Promise<RowsFolder> {
    return new RowsFolder(await mkdtemp(join(tmpdir(), 'switchboard-rows-')));
  }

  /** Writes a file with one row per line and returns its path. */
  async write(name: string, rows: readonly object[] | string | Buffer): Promise<string> {
    const path = join(this.path, name);
    const isContent = typeof rows === 'string' || Buffer.isBuffer(rows);
    await writeFile(
      path,
      isContent ? rows : rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    );
    return path;
  }

  /** Returns the rows of a file, or undefined when it does not exist. */
  async read<Row = Record<string, unknown>>(name: string): Promise<Row[] | undefined> {
    const content = await readFile(join(this.path, name), 'utf8').catch(() => undefined);
    return content
      ?.split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Row);
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true });
  }
}
