import { isJsonObject } from '../text/is-json-object.js';
import { CommandError } from './command-error.js';
import { type Line, readLines } from './lines.js';

/** The largest body that the service accepts, in bytes (docs/limits.md). */
export const MAX_BODY_BYTES = 1024 * 1024;
const SPACE = /^[ \t]*$/;

export interface RowError {
  /**
   * The code of an error, as docs/errors.md lists it: a text for an error of a tool, and a number for a JSON-RPC error.
   */
  readonly code: string | number;
  readonly message: string;
  readonly [member: string]: unknown;
}

/**
 * One line of the file: the arguments of a call as JSON text, or the reason why there is no call. The text is sent as it
 * is, because parsing would round large numbers.
 */
export type Row = { readonly number: number; readonly end: number } & (
  | { readonly json: string; readonly bytes: number }
  | { readonly error: RowError; readonly text?: string }
);

export type CallRow = Extract<Row, { json: string }>;

export function isCallRow(row: Row): row is CallRow {
  return 'json' in row;
}

export interface RowOptions {
  /** The number of the first row that is read. Earlier rows are skipped. */
  readonly from: number;
  /** True for a file of rejected rows, whose arguments are sent again. */
  readonly isRejected: boolean;
}

/** Reads one row from each line that is not empty. The number of a row is the number of its line. */
export async function* readRows(
  chunks: AsyncIterable<Uint8Array>,
  { from, isRejected }: RowOptions,
): AsyncGenerator<Row> {
  let isFirst = true;
  for await (const line of readLines(chunks, MAX_BODY_BYTES)) {
    if (line.number < from) continue;
    const row = parseLine(line, isRejected);
    if (row === undefined) continue;
    if (isFirst && 'text' in row && row.text?.trimStart().startsWith('[')) {
      throw new CommandError(
        'The file is a JSON array. Write one JSON object per line, for example with: jq -c ".[]" rows.json',
      );
    }
    isFirst = false;
    yield row;
  }
}

function parseLine({ number, bytes, end }: Line, isRejected: boolean): Row | undefined {
  const failed = (code: string, message: string, text?: string): Row => ({
    number,
    end,
    error: { code, message },
    ...(text !== undefined && { text }),
  });
  if (bytes === undefined) {
    return failed('payload_too_large', `The line is larger than ${MAX_BODY_BYTES} bytes.`);
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return failed(
      'invalid_json',
      'The line is not UTF-8. Save the file as UTF-8.',
      bytes.toString('latin1'),
    );
  }
  if (SPACE.test(text)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return failed('invalid_json', 'The line is not JSON. Write one JSON object.', text);
  }
  const given = isRejected && isJsonObject(value) ? value.arguments : value;
  if (isJsonObject(given)) {
    const json = isRejected ? JSON.stringify(given) : text;
    return { number, end, json, bytes: Buffer.byteLength(json) };
  }
  const what = isRejected ? 'has no object "arguments"' : 'is not a JSON object';
  return failed('not_an_object', `The line ${what}.`, text);
}
