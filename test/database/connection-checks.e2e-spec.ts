import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { prepareDatabase } from '../../src/database/setup/prepare-database.js';
import { AppError } from '../../src/errors/app-error.js';
import { freePort } from '../support/global-setup.js';

const TEMPLATE = process.env.TEST_TEMPLATE_URL!;

/** Returns the URL of the test server with these parts replaced. */
function urlWith(parts: Partial<Pick<URL, 'username' | 'password' | 'pathname' | 'port'>>): string {
  return Object.assign(new URL(TEMPLATE), parts).href;
}

/** Returns the error message of a start with this DATABASE_URL, and the lines that it printed. */
async function failure(url: string): Promise<{ message: string; lines: string[] }> {
  const lines: string[] = [];
  const preparing = prepareDatabase(url, { waitMs: 0, log: (line) => lines.push(line) });
  const error = await preparing.then(
    () => new Error('The start succeeded.'),
    (thrown: unknown) => thrown as Error,
  );
  expect(error).toBeInstanceOf(AppError);
  return { message: error.message, lines };
}

const at = (port = new URL(TEMPLATE).port): string => `the database server 127.0.0.1:${port}`;

describe('a database that does not answer', () => {
  it('is named together with the reason', async () => {
    const port = String(await freePort());
    expect((await failure(urlWith({ port }))).message).toBe(
      `DATABASE_URL: ${at(port)} cannot be used: nothing listens there (ECONNREFUSED).`,
    );
    expect((await failure(urlWith({ pathname: '/not_there' }))).message).toBe(
      `DATABASE_URL: ${at()} cannot be used: it has no database not_there (3D000).`,
    );
    expect((await failure(urlWith({ password: 'wrong-secret' }))).message).toBe(
      `DATABASE_URL: ${at()} cannot be used: it refuses the user or the password (28P01).`,
    );
  });

  it('is reported immediately, with the number of seconds after which the start stops trying again', async () => {
    const port = String(await freePort());
    const lines: string[] = [];
    const log = (line: string) => lines.push(line);
    const preparing = prepareDatabase(urlWith({ port }), { waitMs: 1500, log });
    await expect(preparing).rejects.toThrow('nothing listens there');
    expect(lines).toEqual([
      `DATABASE_URL: ${at(port)} cannot be used: nothing listens there (ECONNREFUSED). Trying again for 2 s.`,
    ]);
  });
});

describe('a user of DATABASE_URL with too few rights', () => {
  const name = `weak_${process.pid}`;
  let admin: Client;

  beforeAll(async () => {
    admin = new Client({ connectionString: TEMPLATE });
    await admin.connect();
    await admin.query(`create role ${name} login password 'test'`);
    await admin.query(`create database ${name} owner ${name}`);
  });
  afterEach(async () => {
    await admin.query(`alter role ${name} nocreaterole`);
    await admin.query(`alter database ${name} owner to ${name}`);
  });
  afterAll(async () => {
    await admin.query(`drop database ${name} with (force)`);
    await admin.query(`drop role ${name}`);
    await admin.end();
  });

  const own = urlWith({ username: name, password: 'test', pathname: `/${name}` });

  const tables = async (): Promise<number> => {
    const client = new Client({ connectionString: own });
    await client.connect();
    const { rows } = await client.query(
      `select from pg_class where relnamespace = 'public'::regnamespace`,
    );
    await client.end();
    return rows.length;
  };

  it('is refused before the first migration, because it must own the database', async () => {
    await admin.query(`alter role ${name} createrole`);
    await admin.query(`alter database ${name} owner to current_user`);
    expect((await failure(own)).message).toBe(
      `DATABASE_URL: its user ${name} does not own the database ${name}. As an administrator run: ` +
        `alter database ${name} owner to ${name}`,
    );
    expect(await tables()).toBe(0);
  });

  it('is refused before the first migration when it may not create roles', async () => {
    expect((await failure(own)).message).toMatch(
      new RegExp(
        `^DATABASE_URL: its user may not create roles, .*: alter role ${name} createrole$`,
      ),
    );
    expect(await tables()).toBe(0);
  });

  it('is refused with the name of the owner of the tables', async () => {
    await admin.query(`alter role ${name} createrole`);
    const other = new Client({ connectionString: urlWith({ pathname: `/${name}` }) });
    await other.connect();
    await other.query('create table public.organizations (id text)');
    const { rows } = await other.query<{ user: string }>(
      'select quote_ident(current_user) as user',
    );
    expect((await failure(own)).message).toBe(
      `DATABASE_URL: the table organizations belongs to ${rows[0]!.user} and not to its user ${name}. ` +
        `As an administrator run: reassign owned by ${rows[0]!.user} to ${name}`,
    );
    await other.query('drop table public.organizations');
    await other.end();
  });
});
