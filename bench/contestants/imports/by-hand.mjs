// Imports a CSV file with code that fits only this file: csv-parse feeds COPY. The code checks nothing.
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import pg from 'pg';
import { announce, listen } from '../serve.mjs';

const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
await client.connect();
const COPY = `copy contacts (organization_id, id, external_id, email, phone, first_name, last_name, locale, timezone, tags,
  properties, consent, created_at, updated_at) from stdin`;
const ROWS_AT_ONCE = 500;
let next = 0;

/** Sends chunks to PostgreSQL with COPY. Waits for the connection when its buffer is full. */
class CopyFrom {
  constructor(text, chunks) {
    this.text = text;
    this.chunks = chunks;
    this.done = new Promise((resolve, reject) => Object.assign(this, { resolve, reject }));
  }

  submit(connection) {
    connection.query(this.text);
  }

  async handleCopyInResponse(connection) {
    try {
      for await (const chunk of this.chunks) {
        connection.sendCopyFromChunk(chunk);
        while (connection.stream.writableNeedDrain) {
          await new Promise((drained) => connection.stream.once('drain', drained));
        }
      }
      connection.endCopyFrom();
    } catch (error) {
      connection.sendCopyFail(error.message);
    }
  }

  handleCommandComplete({ text }) {
    this.rows = Number(text.split(' ')[1]);
  }

  handleReadyForQuery() {
    this.resolve(this.rows);
  }

  handleError(error) {
    this.reject(error);
  }
}

async function* linesOf(rows) {
  let lines = '';
  let count = 0;
  for await (const cells of rows) {
    lines += lineOf(cells);
    count += 1;
    if (count % ROWS_AT_ONCE > 0) continue;
    yield Buffer.from(lines);
    lines = '';
  }
  yield Buffer.from(lines);
}

function lineOf([
  externalId,
  email,
  phone,
  first,
  last,
  locale,
  timezone,
  tags,
  plan,
  seats,
  consent,
]) {
  const now = new Date().toISOString();
  const id = `con_${String((next += 1)).padStart(22, '0')}`;
  const properties = JSON.stringify({ plan, seats: Number(seats) });
  const consents = JSON.stringify({
    email: { status: consent, source: 'import', updated_at: now },
  });
  const cells = [
    'org_0',
    id,
    externalId,
    email.toLowerCase(),
    phone,
    first,
    last,
    locale,
    timezone,
  ];
  return `${[...cells, `{${tags.split(';').join(',')}}`, properties, consents, now, now].map(escape).join('\t')}\n`;
}

function escape(text) {
  return text.replace(
    /[\\\t\n\r]/g,
    (character) => ({ '\\': '\\\\', '\t': '\\t', '\n': '\\n' })[character] ?? '\\r',
  );
}

const server = createServer((request, response) => {
  const rows = Readable.from(request).pipe(parse({ from_line: 2 }));
  const copy = client.query(new CopyFrom(COPY, linesOf(rows)));
  copy.done.then(
    (count) => response.end(JSON.stringify({ created: count })),
    (error) => response.writeHead(500).end(error.stack),
  );
});
announce({ url: await listen(server) });
process.once('SIGTERM', () => process.exit(0));
