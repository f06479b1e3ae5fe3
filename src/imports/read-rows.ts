import type { Options } from 'csv-parse/sync';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { TakeTurn } from '../http/body-chunks.js';
import { storable } from '../text/storable.js';
import type { Encoding } from './import.entity.js';

export const DELIMITERS = [',', ';', '\t', '|'] as const;
const SAMPLED_ROWS = 20;
/** The number of bytes in which the delimiter is searched. It is small, because the parser cannot be interrupted. */
const SAMPLED_BYTES = 64 * 1024;
/** The characters of windows-1252 from 0x80 to 0x9f. Five bytes have no character there. */
const WINDOWS =
  '\u20ac\ufffd\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\ufffd\u017d\ufffd' +
  '\ufffd\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\ufffd\u017e\u0178';

/**
 * Splits the text of whole rows into cells. A row ends where {@link CsvScanner} ends it. With `most`, it returns only
 * the first rows, and the text may end within a row.
 */
export type RowReader = (text: string, delimiter: string, most?: number) => string[][];

/** Loads the parser, which takes memory only in processes that read files. */
export async function loadRowReader(): Promise<RowReader> {
  const { parse, CsvError } = await import('csv-parse/sync');
  return (text, delimiter, most) => {
    const rows: string[][] = [];
    const options: Options = {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      on_record: (cells: unknown) => void rows.push(cells as string[]),
      ...(most !== undefined && { to: most }),
    };
    try {
      parse(text, options);
    } catch (error) {
      if (most === undefined || !(error instanceof CsvError)) throw error;
    }
    return rows;
  };
}

/** The character of each byte of windows-1252, as the number of its UTF-16 code unit. */
const WINDOWS_UNITS = Uint16Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 && byte <= 0x9f ? WINDOWS.charCodeAt(byte - 0x80) : byte,
);

/** Returns the text of stored bytes, which are in UTF-8 unless the file was in windows-1252. */
export function decode(bytes: Buffer, encoding: Encoding): string {
  if (encoding !== 'windows-1252') return bytes.toString('utf8');
  // The TextDecoder of some versions of Node.js decodes these bytes as ISO 8859-1, which has control characters there.
  // `replace` with a callback for each of these characters would take 15 times as long as this loop.
  const text = Buffer.allocUnsafe(bytes.length * 2);
  for (let at = 0; at < bytes.length; at += 1)
    text.writeUInt16LE(WINDOWS_UNITS[bytes[at]!]!, at * 2);
  return text.toString('utf16le');
}

/**
 * Returns the delimiter with which most of the first rows have as many columns as the first row. Of several such
 * delimiters, returns the one that gives the first row the most columns. Waits for `takeTurn` before it tries a
 * delimiter.
 */
export async function detectDelimiter(
  file: Buffer,
  encoding: Encoding,
  read: RowReader,
  takeTurn: TakeTurn,
): Promise<string> {
  const bytes = file.subarray(0, SAMPLED_BYTES);
  const sample = decode(bytes, encoding);
  let best: string = DELIMITERS[0];
  let bestScore = 0;
  for (const delimiter of DELIMITERS) {
    await yieldToOthers();
    await takeTurn(bytes.length);
    const counts = read(sample, delimiter, SAMPLED_ROWS).map((cells) => cells.length);
    const columns = counts[0] ?? 0;
    if (columns < 2) continue;
    const equal = counts.filter((count) => count === columns).length / counts.length;
    const score = equal * 1000 + columns;
    if (score > bestScore) [best, bestScore] = [delimiter, score];
  }
  return best;
}

/**
 * Returns the names of the columns. Long names are cut, and characters that cannot be stored are removed. All names
 * differ from each other.
 */
export function nameColumns(cells: readonly string[]): string[] {
  const names: string[] = [];
  const used = new Set<string>();
  for (const [index, cell] of cells.entries()) {
    const clean = storable(cell).replace(/\p{C}/gu, '').trim().slice(0, 100).toWellFormed();
    const name = clean === '' ? `Column ${index + 1}` : clean;
    let unique = name;
    for (let count = 2; used.has(unique); count += 1) unique = `${name} (${count})`;
    used.add(unique);
    names.push(unique);
  }
  return names;
}
