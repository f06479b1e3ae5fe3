import { isCallRow, MAX_BODY_BYTES, type Row } from './rows.js';

const MAX_BATCH = 20;
/**
 * The bytes of the names, ids and braces of JSON-RPC around the arguments. The name of a tool and a key have at most
 * 600 bytes.
 */
const ENVELOPE_BYTES = 1024;

/** Joins rows into batches that the service accepts: at most 20 rows and 1 MiB. Keeps their order. */
export async function* batchRows(rows: AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let batch: Row[] = [];
  let bytes = 0;
  for await (const row of rows) {
    const size = isCallRow(row) ? row.bytes + ENVELOPE_BYTES : 0;
    if (batch.length === MAX_BATCH || bytes + size > MAX_BODY_BYTES) {
      if (batch.length > 0) yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(row);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
