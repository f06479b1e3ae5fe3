import pg, { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Pipeline } from '../../src/database/driver/pipeline.js';
import type { BoundStatement } from '../../src/database/driver/statement.js';
import { createTestDatabase } from '../support/database.js';

let database: { url: string; drop: () => Promise<void> };
let client: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query('create temporary table notes (note text primary key)');
});
beforeEach(async () => {
  await client.query('truncate notes');
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const send = (...statements: BoundStatement[]): Promise<pg.QueryResult> => {
  const pipeline = new Pipeline(statements);
  client.query(pipeline);
  return pipeline.done;
};
const insert = (note: string, name?: string): BoundStatement => ({
  text: 'insert into notes values ($1)',
  values: [note],
  ...(name !== undefined && { name }),
});
const notes = async (): Promise<string[]> => {
  const { rows } = await client.query<{ note: string }>('select note from notes order by note');
  return rows.map(({ note }) => note);
};

// These tests also show that pg still has the parts that its type declarations leave out (docs/adr/0018).
describe(Pipeline.name, () => {
  it('returns the result of the last statement, with the same values and rows as a query of pg', async () => {
    const text = `select $1::int as number, $2::timestamptz as time, $3::bytea as bytes, $4::text[] as texts,
      $5::jsonb as json, $6::text as nothing, $7::boolean as flag`;
    const values = [7, new Date(1e12), Buffer.from('é'), ['a', '"b,{}'], { key: [1] }, null, true];
    const { rows, fields, rowCount, command } = await send(insert('first'), { text, values });
    const expected = await client.query(text, values);
    expect(rows).toEqual(expected.rows);
    expect(fields).toEqual(expected.fields);
    expect([rowCount, command]).toEqual([1, 'SELECT']);
    expect(await notes()).toEqual(['first']);
  });

  it('passes rows of the other statements to their listeners', async () => {
    const rows: unknown[] = [];
    const text = 'select n, null from generate_series(1, 2) n';
    await send({ text, values: [], onRow: (row) => rows.push(row) }, insert('last'));
    expect(rows).toEqual([
      ['1', null],
      ['2', null],
    ]);
  });

  it('counts updated rows, and accepts an empty statement', async () => {
    await send(insert('a'), insert('b'));
    expect(await send({ text: `update notes set note = note || '!'`, values: [] })).toMatchObject({
      command: 'UPDATE',
      rowCount: 2,
    });
    expect((await send({ text: '', values: [] })).rows).toEqual([]);
  });

  it('is one transaction without a BEGIN statement, and skips the statements after an error', async () => {
    const pipeline = new Pipeline([insert('a'), insert('a'), insert('b')]);
    client.query(pipeline);
    await expect(pipeline.done).rejects.toMatchObject({ code: '23505' });
    expect(pipeline.completed).toBe(1);
    expect(await notes()).toEqual([]);
    expect(client.getTransactionStatus()).toBe('I');
  });

  it('prepares a named statement once for each connection, and again after a failure', async () => {
    const prepared = async (): Promise<unknown> =>
      (
        await client.query(
          `select name from pg_prepared_statements where name like 'pipeline%' order by name`,
        )
      ).rows;
    await expect(
      send({ text: 'select 1 / 0', values: [] }, insert('a', 'pipeline_1')),
    ).rejects.toThrow('division by zero');
    expect(await prepared()).toEqual([]);
    await expect(send(insert('a', 'pipeline_1'), insert('a', 'pipeline_2'))).rejects.toThrow('key');
    await send(insert('a', 'pipeline_1'), insert('b', 'pipeline_2'));
    await send(insert('c', 'pipeline_1'), insert('d', 'pipeline_1'));
    expect(await prepared()).toEqual([{ name: 'pipeline_1' }, { name: 'pipeline_2' }]);
    expect(await notes()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('sends nothing when a value cannot be converted to SQL', async () => {
    const circular: { self?: object } = {};
    circular.self = circular;
    expect(() => new Pipeline([insert('a'), { text: 'select $1', values: [circular] }])).toThrow(
      'circular',
    );
    expect(await notes()).toEqual([]);
  });

  it.each(['copy notes from stdin', 'copy notes to stdout'])(
    'can send other statements after "%s"',
    async (text) => {
      await send({ text, values: [] }).catch(() => undefined);
      await send(insert('after'));
      expect(await notes()).toEqual(['after']);
    },
  );

  it('fails when its connection ends', async () => {
    const other = new Client({ connectionString: database.url });
    other.on('error', () => undefined);
    await other.connect();
    const sleep = new Pipeline([
      { text: 'select pg_terminate_backend(pg_backend_pid())', values: [] },
    ]);
    other.query(sleep);
    await expect(sleep.done).rejects.toThrow('terminating connection');
    const late = new Pipeline([{ text: 'select 1', values: [] }]);
    other.query(late);
    await expect(late.done).rejects.toThrow();
    await other.end();
  });
});
