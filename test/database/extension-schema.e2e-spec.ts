import 'reflect-metadata';
import { Client } from 'pg';
import {
  Column,
  Entity,
  type EntityTarget,
  type MigrationInterface,
  type ObjectLiteral,
  PrimaryColumn,
  type QueryRunner,
} from 'typeorm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DatabaseAccess } from '../../src/database/setup/database-access.js';
import type { MigrationClass } from '../../src/database/setup/migrate-extensions.js';
import { prepareDatabase } from '../../src/database/setup/prepare-database.js';
import { ENTITIES } from '../../src/bootstrap/entities.js';
import { createTestDatabase } from '../support/database.js';

@Entity('boats')
class Boat {
  @PrimaryColumn('text', { name: 'organization_id', primaryKeyConstraintName: 'boats_pkey' })
  organizationId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'boats_pkey' })
  id: string;

  @Column('text')
  name: string;
}

const BOATS = `create table public.boats (
  organization_id text collate "C" not null references public.organizations (id) on delete cascade,
  id text collate "C" not null,
  name text not null,
  constraint boats_pkey primary key (organization_id, id))`;
const ISOLATE = `select private.isolate('public.boats')`;

let url: string;
let owner: Client;
let undo: (() => Promise<unknown>)[];

beforeEach(async () => {
  const database = await createTestDatabase();
  url = database.url;
  owner = new Client({ connectionString: url });
  await owner.connect();
  undo = [() => owner.end(), database.drop];
});
afterEach(async () => {
  for (const action of undo) await action();
});

describe('migrations of an extension', () => {
  it('run once, after the migrations of Switchboard, and are recorded in a separate table', async () => {
    const lines: string[] = [];
    const migrations = [migration('MakeBoats1', BOATS, ISOLATE)];
    await prepare(migrations, [Boat], lines);
    expect(lines).toEqual(['Ran 1 migration of the database.']);
    await prepare(migrations, [Boat], lines);
    expect(lines).toHaveLength(1);
    expect(await names('extension_migrations')).toEqual(['MakeBoats1' + STAMP]);
    expect(await names('migrations')).not.toContain('MakeBoats1' + STAMP);
  });

  it('create tables in which the tenant role can only read and write rows of its organization', async () => {
    const access = await prepare([migration('MakeBoats2', BOATS, ISOLATE)], [Boat]);
    const tenant = new Client({ ...access, ...access.tenant });
    await tenant.connect();
    undo.unshift(() => tenant.end());
    expect((await tenant.query('select * from boats')).rows).toEqual([]);
    await expect(
      tenant.query(`insert into boats values ('org_x', 'boat_x', 'Ours')`),
    ).rejects.toThrow('row-level security');
  });

  it.each([
    ['a table without isolation', [BOATS]],
    [
      'a table whose isolation is removed',
      [BOATS, ISOLATE, 'alter table boats no force row level security'],
    ],
  ])(
    'stop the start at %s, are rolled back, and the error says what to call',
    async (_, statements) => {
      await expect(prepare([migration('MakeBoats3', ...statements)], [Boat])).rejects.toThrow(
        new RegExp(
          `MakeBoats3${STAMP} does not isolate boats: .*select private.isolate\\('public.boats'\\)`,
          's',
        ),
      );
      expect((await owner.query(`select to_regclass('boats') as found`)).rows).toEqual([
        { found: null },
      ]);
      // The corrected migration runs at the next start without any repair.
      await prepare([migration('MakeBoats3', BOATS, ISOLATE)], [Boat]);
    },
  );

  it('stop the start when they remove the isolation of a table of Switchboard', async () => {
    const open = migration('OpenContacts', 'alter table contacts disable row level security');
    await expect(prepare([open], [])).rejects.toThrow(
      `OpenContacts${STAMP} does not isolate contacts`,
    );
    await expect(prepare([], [])).resolves.toBeDefined();
  });

  it('are named, with the statement, when they fail', async () => {
    await expect(prepare([migration('Broken', 'create tabel boats ()')], [])).rejects.toThrow(
      new RegExp(`Broken${STAMP} failed, and was rolled back: syntax error.*create tabel`, 's'),
    );
  });

  it('do not affect tables that other programs created', async () => {
    await owner.query('create table elsewhere (id text)');
    await expect(prepare([migration('MakeBoats4', BOATS, ISOLATE)], [Boat])).resolves.toBeDefined();
  });
});

describe('entities of an extension', () => {
  it('stop the start when they have no table, and the error says where to list the migration', async () => {
    await expect(prepare([], [Boat])).rejects.toThrow(
      'The entity Boat has no table public.boats. List the migration that creates it under `migrations`.',
    );
  });

  it('stop the start when their table is not isolated, even if no migration created it', async () => {
    await owner.query(BOATS);
    await expect(prepare([], [Boat])).rejects.toThrow(
      /The entity Boat has the table boats, .*select private.isolate\('public.boats'\)/,
    );
  });
});

describe('a start that stops between migrating and granting', () => {
  it('lets the next start create the missing grants', async () => {
    const access = await prepare([migration('MakeBoats5', BOATS, ISOLATE)], [Boat]);
    await owner.query(`revoke all on boats from ${access.tenant.user}`);
    await prepare([migration('MakeBoats5', BOATS, ISOLATE)], [Boat]);
    const { rows } = await owner.query(`select has_table_privilege($1, 'boats', 'insert') as may`, [
      access.tenant.user,
    ]);
    expect(rows).toEqual([{ may: true }]);
  });
});

const STAMP = '1767225600000';

/** Returns a migration that runs the statements. TypeORM requires a timestamp in its name. */
function migration(name: string, ...statements: string[]): MigrationClass {
  return class implements MigrationInterface {
    readonly name = name + STAMP;

    async up(runner: QueryRunner): Promise<void> {
      for (const statement of statements) await runner.query(statement);
    }

    async down(): Promise<void> {}
  };
}

async function prepare(
  migrations: MigrationClass[],
  entities: EntityTarget<ObjectLiteral>[],
  lines: string[] = [],
): Promise<DatabaseAccess> {
  return await prepareDatabase(url, {
    waitMs: 5000,
    log: (line) => lines.push(line),
    extensions: { entities: [...ENTITIES, ...entities], migrations },
  });
}

async function names(table: string): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(`select name from ${table}`);
  return rows.map((row) => row.name);
}
