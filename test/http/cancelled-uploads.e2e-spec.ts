import { connect } from 'node:net';
import { Client } from 'pg';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
const uncaught: unknown[] = [];
const note = (error: unknown): unknown => uncaught.push(error);

beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});
beforeEach(() => {
  uncaught.length = 0;
  process.on('uncaughtException', note);
});
afterEach(() => {
  process.off('uncaughtException', note);
});

/** Sends the beginning of a form with a file, and closes the connection when `leave` has resolved. */
async function cancelUpload(path: string, leave: () => Promise<unknown>): Promise<void> {
  const { host, hostname, port } = new URL(switchboard.url);
  const socket = connect(Number(port), hostname);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${acme.key}\r\n` +
      'Content-Type: multipart/form-data; boundary=X\r\nContent-Length: 3000000\r\n\r\n' +
      '--X\r\nContent-Disposition: form-data; name="f"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\nemail\n',
  );
  await leave();
  socket.destroy();
  await closed;
}

async function connections(): Promise<number> {
  return await new Promise((resolve) => {
    switchboard.app.getHttpServer().getConnections((_error: unknown, count: number) => {
      resolve(count);
    });
  });
}

const openUploads = () =>
  switchboard.ownerQuery('select id from files where organization_id = $1 and is_uploading', [
    acme.id,
  ]);

describe('an upload whose connection closes', () => {
  it.each(['/api/files', '/api/imports'])(
    'does not stop the process, at whatever moment the connection closes: %s',
    async (path) => {
      for (let milliseconds = 0; milliseconds <= 50; milliseconds += 2) {
        await cancelUpload(path, () => new Promise((resolve) => setTimeout(resolve, milliseconds)));
      }
      await waitFor(async () => (await openUploads()).length === 0);
      expect(uncaught).toEqual([]);
      expect((await fetch(`${switchboard.url}/health/live`)).status).toBe(200);
    },
  );

  it('is abandoned when the service has not read the first byte of the file', async () => {
    const client = new Client({ connectionString: switchboard.databaseUrl });
    await client.connect();
    try {
      // The service inserts the row of a file before it reads the bytes.
      await client.query('begin');
      await client.query('lock table files in share mode');
      const before = await connections();
      await cancelUpload('/api/files', () =>
        waitFor(async () => {
          const { rows } = await client.query(
            `select 1 from pg_locks where relation = 'files'::regclass and not granted
               and database = (select oid from pg_database where datname = current_database())`,
          );
          return rows.length > 0;
        }),
      );
      await waitFor(async () => (await connections()) <= before);
    } finally {
      await client.query('rollback');
      await client.end();
    }
    await waitFor(async () => (await openUploads()).length === 0);
    expect(uncaught).toEqual([]);
    expect((await fetch(`${switchboard.url}/health/live`)).status).toBe(200);
  });
});
