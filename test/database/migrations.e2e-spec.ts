import 'reflect-metadata';
import { readdirSync } from 'node:fs';
import { Client } from 'pg';
import { DataSource, type EntityMetadata } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../migrations/index.js';
import { migrate } from '../../src/database/setup/prepare-database.js';
import { ENTITIES } from '../../src/bootstrap/entities.js';
import { createTestDatabase } from '../support/database.js';

/** Tables without an entity, and why. */
const NO_ENTITY: Record<string, string> = {
  migrations: 'kept by TypeORM itself',
  organizations: 'reached by functions of the gate only',
  memberships: 'reached by functions of the gate only',
};

describe('the list of migrations', () => {
  it('names every file of the folder, oldest first', () => {
    const files = readdirSync(new URL('../../migrations', import.meta.url))
      .filter((file) => /^\d+-[a-z0-9-]+\.ts$/.test(file))
      .sort();
    const listed = MIGRATIONS.map((migration) => /\d+$/.exec(migration.name)?.[0]);
    expect(listed).toEqual(files.map((file) => file.split('-')[0]));
    expect(new Set(listed).size).toBe(listed.length);
    for (const migration of MIGRATIONS) expect(new migration().name).toBe(migration.name);
  });
});

describe('migrations on an empty database', () => {
  let url: string;
  let drop: () => Promise<void>;
  beforeAll(async () => ({ url, drop } = await createEmptyDatabase()));
  afterAll(() => drop());

  it('go up, all the way down without a trace, and up again to the same', async () => {
    const empty = await objects(url);
    const names = MIGRATIONS.map(({ name }) => name);
    expect(await migrate(url)).toEqual(names);
    const full = await objects(url);
    expect(full.length).toBeGreaterThan(empty.length + 10);
    expect(await migrate(url)).toEqual([]);

    for (let count = MIGRATIONS.length; count > 0; count -= 1) await undoLast(url);
    // TypeORM's own list of migrations, empty by now, is all that may be left.
    await dropMigrationsTable(url);
    expect(await objects(url)).toEqual(empty);

    expect(await migrate(url)).toEqual(names);
    expect(await objects(url)).toEqual(full);
  });
});

describe('entities and the migrated schema', () => {
  let source: DataSource;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await createTestDatabase();
    drop = database.drop;
    source = new DataSource({
      type: 'postgres',
      url: database.url,
      entities: ENTITIES as never[],
      installExtensions: false,
    });
    await source.initialize();
  });
  afterAll(async () => {
    await source.destroy();
    await drop();
  });

  it('name the same tables', async () => {
    const rows = await source.query<{ name: string }[]>(
      `select relname as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
    );
    const tables = rows.map(({ name }) => name).filter((name) => !Object.hasOwn(NO_ENTITY, name));
    expect(source.entityMetadatas.map(({ tableName }) => tableName).sort()).toEqual(tables.sort());
    for (const name of Object.keys(NO_ENTITY)) {
      expect(
        rows.map((row) => row.name),
        `${name} is no table: strike it off the list`,
      ).toContain(name);
    }
  });

  it('have the same columns: name, type, null, default, primary key', async () => {
    for (const entity of source.entityMetadatas) {
      const said = entity.columns
        .map((column) => describeColumn(source, column))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
      expect({ table: entity.tableName, columns: said }).toEqual({
        table: entity.tableName,
        columns: await columnsOf(source, entity.tableName),
      });
      expect(primaryKeyOf(entity)).toEqual(await primaryKeyName(source, entity.tableName));
    }
  });

  it('name indexes and unique keys that exist, over the same columns', async () => {
    for (const entity of source.entityMetadatas) {
      const rows = await source.query<{ name: string; columns: string[] }[]>(
        `select i.indexrelid::regclass::text as name, (
           select json_agg(a.attname order by k.place) from unnest(i.indkey) with ordinality as k(number, place)
           join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number) as columns
         from pg_index i where i.indrelid = $1::regclass`,
        [`public.${entity.tableName}`],
      );
      const real = new Map(rows.map(({ name, columns }) => [name, columns]));
      for (const key of [...entity.ownUniques, ...entity.ownIndices]) {
        const columns = key.columns.map(({ databaseName }) => databaseName);
        expect(real.get(key.name), `${entity.tableName}: ${key.name}`).toEqual(columns);
      }
    }
  });
});

interface ColumnDescription {
  name: string;
  type: string;
  nullable: boolean;
  hasDefault: boolean;
  isPrimary: boolean;
}

function describeColumn(
  source: DataSource,
  column: EntityMetadata['columns'][number],
): ColumnDescription {
  const { driver } = source;
  const type = driver.createFullType({
    type: driver.normalizeType(column),
    isArray: column.isArray,
    precision: column.precision,
    length: column.length,
  } as never);
  return {
    name: column.databaseName,
    type: type.toLowerCase().replace(/ array$/, '[]'),
    nullable: column.isNullable,
    hasDefault: column.default !== undefined || column.isGenerated,
    isPrimary: column.isPrimary,
  };
}

function columnsOf(source: DataSource, table: string): Promise<ColumnDescription[]> {
  return source.query<ColumnDescription[]>(
    `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as nullable,
       a.atthasdef or a.attidentity <> '' as "hasDefault",
       coalesce((select a.attnum = any(i.indkey) from pg_index i where i.indrelid = a.attrelid and i.indisprimary), false)
         as "isPrimary"
     from pg_attribute a where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped
     order by a.attname collate "C"`,
    [`public.${table}`],
  );
}

function primaryKeyOf(entity: EntityMetadata): string[] {
  return [
    ...new Set(entity.primaryColumns.map((column) => column.primaryKeyConstraintName ?? '?')),
  ];
}

async function primaryKeyName(source: DataSource, table: string): Promise<string[]> {
  const rows = await source.query<{ name: string }[]>(
    `select conname as name from pg_constraint where conrelid = $1::regclass and contype = 'p'`,
    [`public.${table}`],
  );
  return rows.map(({ name }) => name);
}

/** Everything that migrations can make, by name. */
async function objects(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(`
      with ours as (select oid, nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema')
      select 'schema ' || nspname as name from ours
      union all select c.relkind::text || ' ' || nspname || '.' || relname from pg_class c join ours on ours.oid = relnamespace
      union all select 'function ' || nspname || '.' || p.oid::regprocedure::text || ' ' || md5(prosrc)
        from pg_proc p join ours on ours.oid = pronamespace
      union all select 'constraint ' || nspname || '.' || conname || ' ' || pg_get_constraintdef(c.oid)
        from pg_constraint c join ours on ours.oid = connamespace
      union all select 'policy ' || p.polname || ' on ' || p.polrelid::regclass::text from pg_policy p
      union all select 'trigger ' || t.tgname from pg_trigger t where not t.tgisinternal
      union all select 'type ' || nspname || '.' || typname from pg_type t join ours on ours.oid = typnamespace
        where t.typtype in ('e', 'd')
      order by 1`);
    return rows.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

async function dropMigrationsTable(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    expect((await client.query('select from public.migrations')).rowCount).toBe(0);
    await client.query('drop table public.migrations');
  } finally {
    await client.end();
  }
}

async function undoLast(url: string): Promise<void> {
  const source = new DataSource({
    type: 'postgres',
    url,
    migrations: MIGRATIONS,
    extra: { max: 1 },
  });
  await source.initialize();
  try {
    await source.undoLastMigration({ transaction: 'each' });
  } finally {
    await source.destroy();
  }
}

async function createEmptyDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const database = await createTestDatabase();
  const url = new URL(database.url);
  const name = `${url.pathname.slice(1)}_empty`;
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(`create database ${name} template template0`);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: async () => {
      await client.query(`drop database ${name} with (force)`);
      await client.end();
      await database.drop();
    },
  };
}
