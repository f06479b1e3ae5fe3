import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limitAnswers } from '../../src/database/driver/answer-limit.js';
import { GateDatabase } from '../../src/database/gate-database.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { runSql, type SqlOutcome, SqlTools } from './sql-tools.js';

const MEBIBYTE = 1024 * 1024;
// On a busy machine, answers of hundreds of megabytes take longer than the usual 10 s.
const PATIENT = `set local statement_timeout = '200s'`;
const LONG_MS = 300_000;
const MANY_LISTS = `select ('{' || repeat('{1},', 100000) || '{1}}')::int[] from generate_series(1, 30)`;
const MANY_OBJECTS = `select ('[' || repeat('{},', 6000) || '{}]')::jsonb from generate_series(1, 1000)`;
/** Returns a statement whose answer has many values in few bytes. */
const columns = (count: number, value: string, rows: number): string =>
  `select ${Array.from({ length: count }, () => value).join(', ')} from generate_series(1, ${rows})`;
const TOO_LARGE = { code: 'payload_too_large', message: expect.stringMatching(/larger than/) };

let switchboard: Switchboard;
let hostile: TestOrganization;
let victim: TestOrganization;

beforeAll(async () => {
  switchboard = await startSwitchboard({ providers: [SqlTools] });
  hostile = await createOrganization(switchboard, 'Hostile');
  victim = await createOrganization(switchboard, 'Victim');
});
afterAll(() => switchboard.close());

// An exception in the driver would end this process, and vitest would report that.
describe('an answer of PostgreSQL that is too large', () => {
  it.each([
    ['one value', `select repeat('x', 300000000)`],
    ['millions of small rows', 'select n, n, n, n from generate_series(1, 2000000) n'],
    ['millions of JSON objects in rows', MANY_OBJECTS],
    ['millions of lists in rows', MANY_LISTS],
    ['millions of bytes', columns(200, `'\\x'::bytea`, 25_000)],
    ['millions of times', columns(200, 'now()', 25_000)],
    ['rows with the most columns', columns(1600, '1', 5000)],
  ])(
    'fails the statement that asked for %s, and other organizations are served',
    async (_, sql) => {
      const outcomes = runSql(hostile, PATIENT, sql);
      expect((await victim.call('search_contacts', {})).status).toBe(200);
      const outcome = (await outcomes)[1]!;
      // If the test fails, Vitest must not print millions of rows, because that takes minutes.
      const error = 'error' in outcome ? outcome.error : 'the rows were read';
      expect(error).toEqual(TOO_LARGE.message);
      expect((await victim.call('search_contacts', {})).status).toBe(200);
      expect(await runSql(hostile, 'select 1 as one')).toEqual([{ rows: [{ one: 1 }] }]);
    },
    LONG_MS,
  );

  // The values of these rows need little memory, but parsing one of them would stop all other work for a long time.
  it.each([
    ['millions of members more', `select ('[' || repeat('{},', 6000000) || '{}]')::json`],
    ['more members', `select ('[' || repeat('100,', 400000) || '1]')::json`],
    [
      'more members in two values',
      `select ${`('[' || repeat('{},', 210000) || '{}]')::jsonb, `.repeat(2)} 1`,
    ],
    ['more names', `select json_object_agg('k' || n, 1) from generate_series(1, 200001) n`],
    ['more characters', `select to_json(repeat('x', 17000000)), to_json(repeat('x', 17000000))`],
    ['longer arrays', `select ('{' || repeat('1,', 270000) || '1}')::int[]`],
  ])('fails the statement whose row has %s than a row may have', async (_, sql) => {
    const [outcome] = await runSql(hostile, sql);
    const error = 'error' in outcome! ? outcome.error : 'the rows were read';
    expect(error).toMatch(/takes too long to parse/);
    expect(await runSql(hostile, 'select 1 as one')).toEqual([{ rows: [{ one: 1 }] }]);
  });

  it('is not reported for long values, or for many members that are in several rows', async () => {
    const outcomes = await runSql(
      hostile,
      `select to_json(repeat('x,{[', 2000000)) as text`,
      `select ('[' || repeat('100,', 300000) || '1]')::json from generate_series(1, 3)`,
      `select ('[' || repeat('{},', 340000) || '{}]')::json`,
    );
    expect(outcomes.map((outcome) => ('error' in outcome ? outcome.error : 'read'))).toEqual([
      'read',
      'read',
      'read',
    ]);
  });

  itSlow(
    'fails a statement of the gate, and the pool of the gate then opens another connection',
    async () => {
      const { pool } = switchboard.app.get(GateDatabase);
      const large = `begin; ${PATIENT}; select repeat('x', 300000000)`;
      await expect(pool.query(large)).rejects.toMatchObject(TOO_LARGE);
      expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    },
    LONG_MS,
  );

  it('is detected for each statement separately, and ends the connection', async () => {
    const client = new Client({ connectionString: switchboard.databaseUrl });
    const errors: unknown[] = [];
    client.on('error', (error) => errors.push(error));
    await client.connect();
    limitAnswers(client, MEBIBYTE);
    for (let count = 0; count < 4; count += 1) {
      await client.query(`select repeat('x', ${MEBIBYTE / 2})`);
    }
    const rows = client.query(`select repeat('x', 1000) from generate_series(1, 2000)`);
    await expect(rows).rejects.toMatchObject(TOO_LARGE);
    expect(errors).toMatchObject([TOO_LARGE]);
    await expect(client.query('select 1')).rejects.toThrow('not queryable');
  });

  it.each(['subject', 'body', 'html'])(
    'is avoided by readers of messages: no message has a %s above 1 MiB',
    async (name) => {
      const error = expect.stringContaining('"messages_content_check"');
      expect(await insertMessage('msg_unread', { [name]: `repeat('x', 2097153)` })).toEqual({
        error,
      });
    },
  );

  // nodemailer encodes a subject in one turn of the event loop.
  it.each([
    ['subject', '3,000 bytes', `repeat('ä', 1500)`],
    ['body', '256 KiB and a byte', `repeat('x', 262145)`],
    ['html', '500 KiB and a byte', `repeat('x', 512001)`],
  ])(
    'is avoided by the worker of messages: a message fails with a %s of %s',
    async (name, _, text) => {
      const id = `msg_${name}`;
      expect(await insertMessage(id, { [name]: text })).toEqual({ rows: [] });
      const [message] = await waitFor(async () => {
        const rows = await switchboard.ownerQuery(
          `select status, attempts, status_reason from messages where id = $1 and status <> 'queued'`,
          [id],
        );
        return rows.length > 0 ? rows : undefined;
      });
      expect(message).toEqual({
        status: 'failed',
        attempts: 0,
        status_reason: 'The text of the message is too large.',
      });
    },
  );
});

/** Inserts a queued e-mail with SQL of a tool. The texts are SQL. */
async function insertMessage(id: string, texts: Record<string, string>): Promise<SqlOutcome> {
  await hostile.call('create_contact', { email: 'grace@example.com' });
  const { subject, body, html } = { subject: `'Hello'`, body: `'Hello'`, html: 'null', ...texts };
  const [outcome] = await runSql(
    hostile,
    `insert into messages (organization_id, id, contact_id, channel, direction, recipient, subject, body, html, status)
     select organization_id, '${id}', id, 'email', 'outbound', email, ${subject}, ${body}, ${html}, 'queued'
     from contacts limit 1`,
  );
  return outcome!;
}
