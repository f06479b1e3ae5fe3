import { AppError } from '../errors/app-error.js';
import { MOST_COLUMNS, MOST_ROW_BYTES } from './import-options.js';

/** A part of a file with whole rows. */
export interface CsvPart {
  readonly bytes: Buffer;
  /** The number of the first row of the part. The first row of the file is row 1. */
  readonly firstRow: number;
}

const ROWS = 500;
const BYTES = 64 * 1024;
/** The bytes that are searched at once for the end of the first row. */
const SEARCHED_BYTES = 16 * 1024;
/**
 * The largest number of cells of a row after the first. The parser cannot be interrupted before a row ends, and it
 * spends most of its time on cells.
 */
export const MOST_CELLS = 10 * MOST_COLUMNS;
const CR = 13;
const LF = 10;
const QUOTE = 34;

/** The place of the scanner in a field. After a quote in a quoted field, the next byte decides what the quote means. */
type State = 'start' | 'plain' | 'quoted' | 'quote';

/**
 * Cuts the bytes of a CSV file (RFC 4180) into parts of whole rows, so that any worker can read any part alone. The
 * encoding must be compatible with ASCII. Rows end with CR LF, LF or CR, and empty lines are skipped. Throws
 * `invalid_arguments` for a first row of more than 500 cells, for a later row of more than 5,000 cells, and for a row
 * that is too long, for example because a quote is never closed.
 */
export class CsvScanner {
  private readonly delimiter: number;
  /** The bytes after the last part that was returned. */
  private rest: Buffer = Buffer.alloc(0);
  private rowStart = 0;
  private state: State = 'start';
  private cells = 0;
  private partRows = 0;
  private partFirstRow = 1;
  /** The number of complete rows so far. */
  rows = 0;

  /** A part ends after `mostRows` rows, or earlier when it is large. */
  constructor(
    delimiter: string,
    private readonly mostRows = ROWS,
  ) {
    this.delimiter = delimiter.charCodeAt(0);
  }

  /** Takes the next bytes, and returns the parts that are complete. */
  push(bytes: Buffer): CsvPart[] {
    const parts: CsvPart[] = [];
    const from = this.rest.length;
    const buffer = from === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    let partStart = 0;
    for (let at = from; at < buffer.length; at += 1) {
      at = this.skipQuoted(buffer, at);
      const byte = buffer[at];
      if ((byte !== LF && byte !== CR) || this.state === 'quoted') {
        this.step(byte);
        continue;
      }
      this.assertShort(at);
      this.endRow(at);
      const end = at + 1;
      this.rowStart = end;
      // Empty lines before the first row of a part are left out. If a part kept them, its size would have no limit.
      if (this.partRows === 0) partStart = end;
      if (this.partRows >= this.mostRows || (this.partRows > 0 && end - partStart >= BYTES)) {
        parts.push(this.cut(buffer.subarray(partStart, end)));
        partStart = end;
      }
    }
    this.assertShort(buffer.length);
    this.rest = buffer.subarray(partStart);
    this.rowStart -= partStart;
    return parts;
  }

  /** Returns the last part, if there are rows left. Throws `invalid_arguments` for a quoted field without an end. */
  end(): CsvPart[] {
    if (this.state === 'quoted') {
      throw AppError.invalid(
        `Row ${this.rows + 1} of the file has a quoted field without an end. Close it with a quotation mark.`,
      );
    }
    this.endRow(this.rest.length);
    return this.partRows > 0 ? [this.cut(this.rest)] : [];
  }

  /** Returns the position of the next quote in a quoted field. All bytes before this quote belong to the field. */
  private skipQuoted(buffer: Buffer, at: number): number {
    if (this.state !== 'quoted') return at;
    const quote = buffer.indexOf(QUOTE, at);
    return quote < 0 ? buffer.length : quote;
  }

  private step(byte: number | undefined): void {
    if (this.state === 'quoted') {
      if (byte === QUOTE) this.state = 'quote';
    } else if (byte === this.delimiter) this.endCell();
    else if (byte === QUOTE && this.state !== 'plain') this.state = 'quoted';
    else this.state = 'plain';
  }

  private endCell(): void {
    this.state = 'start';
    this.cells += 1;
    const most = this.rows === 0 ? MOST_COLUMNS : MOST_CELLS;
    if (this.cells < most) return;
    throw AppError.invalid(
      `Row ${this.rows + 1} of the file has more than ${most} cells. A file has at most ${MOST_COLUMNS} columns.`,
    );
  }

  private endRow(at: number): void {
    this.state = 'start';
    this.cells = 0;
    if (at === this.rowStart) return;
    this.rows += 1;
    this.partRows += 1;
  }

  private assertShort(at: number): void {
    if (at - this.rowStart <= MOST_ROW_BYTES) return;
    const isQuoted = this.state === 'quoted';
    throw AppError.invalid(
      `Row ${this.rows + 1} of the file is longer than ${MOST_ROW_BYTES} bytes. ` +
        (isQuoted
          ? 'Perhaps a quoted field in it is not closed. Close it, or shorten the row.'
          : 'Perhaps the file is not CSV. Save it as CSV.'),
    );
  }

  private cut(bytes: Buffer): CsvPart {
    const part = { bytes, firstRow: this.partFirstRow };
    this.partFirstRow += this.partRows;
    this.partRows = 0;
    return part;
  }
}

/**
 * Returns true for bytes that a scanner returns as one part. SQL of a tool can store other bytes, which would keep the
 * parser busy for a second.
 */
export function isPart({ bytes, firstRow: first }: CsvPart, delimiter: string): boolean {
  const scanner = new CsvScanner(delimiter);
  scanner.rows = first - 1;
  try {
    const [part, ...others] = [...scanner.push(bytes), ...scanner.end()];
    return others.length === 0 && part?.bytes.length === bytes.length;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/**
 * Returns the bytes of the first row of a file, or undefined when the file has only empty lines. The sample is the
 * beginning of the file, and must be longer than the longest row unless it is the whole file. Throws as
 * {@link CsvScanner} does. Looks only at bytes near the first row.
 */
export function firstRow(sample: Buffer, delimiter: string): Buffer | undefined {
  const scanner = new CsvScanner(delimiter, 1);
  for (let at = 0; at < sample.length; at += SEARCHED_BYTES) {
    const [row] = scanner.push(sample.subarray(at, at + SEARCHED_BYTES));
    if (row) return row.bytes;
  }
  return scanner.end()[0]?.bytes;
}
