import type { Socket } from 'node:net';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { createOrganization } from '../support/organization.js';
import { sharedSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { rawRequest } from './raw-request.js';

it('an organization can have at most 20 uploads at the same time, also when several begin together', async () => {
  const switchboard = await sharedSwitchboard();
  const acme = await createOrganization(switchboard);
  const sockets: Socket[] = [];
  const begin = async (): Promise<string> => {
    const { text } = await rawRequest(
      switchboard.url,
      `POST /api/files HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${acme.key}\r\n` +
        'Content-Type: text/plain\r\nContent-Length: 1000\r\n\r\nabc',
      (socket) => sockets.push(socket),
    );
    return text;
  };
  const client = new Client({ connectionString: switchboard.databaseUrl });
  await client.connect();
  const countRows = async (sql: string): Promise<number> => (await client.query(sql)).rows.length;
  const open = `select 1 from files where organization_id = '${acme.id}' and is_uploading`;
  try {
    const first = Array.from({ length: 19 }, begin);
    await waitFor(async () => (await countRows(open)) === 19);
    // Each upload counts the open uploads, and then waits for this lock before it inserts its row.
    await client.query('begin');
    await client.query('lock table files in share mode');
    const last = Array.from({ length: 3 }, begin);
    const waiting = () =>
      switchboard.ownerQuery(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
    await waitFor(async () => (await waiting()).length >= 3);
    await client.query('rollback');
    const refused: string[] = [];
    for (const answer of last) void answer.then((text) => refused.push(text));
    await waitFor(async () => refused.length + (await countRows(open)) === 22);
    expect(refused.map((text) => text.split('\r\n')[0])).toEqual([
      'HTTP/1.1 409 Conflict',
      'HTTP/1.1 409 Conflict',
    ]);
    for (const socket of sockets) socket.destroy();
    await Promise.all([...first, ...last]);
    await waitFor(async () => (await countRows(open)) === 0);
  } finally {
    for (const socket of sockets) socket.destroy();
    await client.end();
  }
});
