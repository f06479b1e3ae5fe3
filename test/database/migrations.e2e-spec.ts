import 'reflect-metadata';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { DataSource, type EntityMetadata } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../migrations/index.js';
import { migrate, prepareDatabase } from '../../src/database/setup/prepare-database.js';
import { ENTITIES } from '../../src/bootstrap/entities.js';
import { SnakeCaseNaming } from '../../src/database/snake-case-naming.js';
import { createTestDatabase } from '../support/database.js';
import { dumpGrants } from './dump-grants.js';
import { dumpSchema } from './dump-schema.js';

/** Lists the tables without an entity, each with the reason. */
const NO_ENTITY: Record<string, string> = {
  message_files: 'a trigger writes it, and only functions of the gate read it',
  migrations: 'TypeORM keeps it',
  organizations: 'only functions of the gate reach it',
  memberships: 'only functions of the gate reach it',
};
const SCHEMA_HEADER = `-- The schema that the migrations make, without the bodies of functions. Generated: do not edit.
-- After a change of a migration run: npm run db:schema
`;
const GRANTS_HEADER = `# What the roles of the service, and all roles (public), may do. Generated: do not edit.
# After a change of private.tenant_privileges() or private.ensure_roles() run: npm run db:schema
`;
const FOLDER = join(import.meta.dirname, '../../migrations');

describe('the list of migrations', () => {
  it('names every file of the folder, oldest first', () => {
    const files = readdirSync(FOLDER)
      .filter((file) => /^\d+-[a-z0-9-]+\.ts$/.test(file))
      .sort();
    const listed = MIGRATIONS.map((migration) => /\d+$/.exec(migration.name)?.[0]);
    expect(listed).toEqual(files.map((file) => file.split('-')[0]));
    expect(new Set(listed).size).toBe(listed.length);
    for (const migration of MIGRATIONS) expect(new migration().name).toBe(migration.name);
  });
});

describe('the SQL files of migrations', () => {
  const files = ['functions', 'tables'].flatMap((folder) =>
    readdirSync(join(FOLDER, folder)).map((file) => `${folder}/${file}`),
  );
  const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');

  it('are all executed', () => {
    const run = new Set(MIGRATIONS.flatMap((migration) => new migration().files));
    expect(files.filter((file) => !run.has(file))).toEqual([]);
  });

  it('define exactly the object that they are named after', () => {
    for (const file of files) {
      const [, folder, name] = /^(\w+)s\/(\w+)\.sql$/.exec(file)!;
      const created = read(file).matchAll(/^create (?:or replace )?(function|table) \w+\.(\w+)/gm);
      expect(
        [...created].map((match) => match.slice(1)),
        file,
      ).toEqual([[folder, name]]);
    }
  });

  it('begin with a comment, which for functions states the purpose, arguments, result and locks', () => {
    for (const file of files) {
      expect(read(file), file).toMatch(
        file.startsWith('functions/')
          ? /^-- [A-Z][^]*\n-- Arguments:[^]*\n-- Result: [^]*\n-- Locks: [^]*\ncreate or replace function/
          : /^-- [A-Z][^]*\ncreate table/,
      );
    }
  });
});

describe('a database that another version of Switchboard created', () => {
  it('is refused before Switchboard changes it, with an error that says what to do', async () => {
    const { url, drop } = await createTestDatabase();
    await query(url, `update migrations set name = 'Other1763700000000' where id = 1`);
    const before = await objects(url);
    await expect(migrate(url)).rejects.toThrow(
      'Another version of Switchboard created this database: it has the migration Other1763700000000, which this ' +
        'version does not know. Set DATABASE_URL to a new database',
    );
    expect(await objects(url)).toEqual(before);
    await drop();
  });
});

describe('migrations/schema.sql', () => {
  let url: string;
  let drop: () => Promise<void>;
  beforeAll(async () => ({ url, drop } = await createTestDatabase()));
  afterAll(() => drop());

  it('is the schema of a migrated database (npm run db:schema updates it)', async () => {
    const schema = await withClient(url, dumpSchema);
    await expect(`${SCHEMA_HEADER}\n${schema}`).toMatchFileSnapshot('../../migrations/schema.sql');
  });

  it('is a schema in which every function is valid and can be replaced by running its file again', async () => {
    await withClient(url, async (client) => {
      for (const file of readdirSync(join(FOLDER, 'functions'))) {
        const text = readFileSync(join(FOLDER, 'functions', file), 'utf8');
        await expect(client.query(text), file).resolves.toBeDefined();
      }
    });
  });

  it('omits the bodies of functions, which are in the files', async () => {
    const rows = await withClient(url, async (client) => {
      const found = await client.query<{ name: string; body: string }>(
        `select p.proname as name, p.prosrc as body from pg_proc p
         where p.pronamespace = any ('{public, gate, private}'::regnamespace[])`,
      );
      return found.rows;
    });
    expect(rows.length).toBeGreaterThan(40);
    for (const { name, body } of rows) {
      const file = readFileSync(join(FOLDER, `functions/${name}.sql`), 'utf8');
      expect(file, name).toContain(` as $$${body}$$;`);
    }
  });
});

describe('migrations/grants.txt', () => {
  let url: string;
  let drop: () => Promise<void>;
  let tenant: string;
  beforeAll(async () => {
    const database = await createTestDatabase();
    ({ url, drop } = database);
    tenant = database.access.tenant.user;
  });
  afterAll(() => drop());

  const dump = (): Promise<string> =>
    withClient(url, async (client) => {
      // Grants on a database are not copied with it.
      await client.query('select private.ensure_roles()');
      return await dumpGrants(client);
    });

  it('has all grants of a migrated database (npm run db:schema updates it)', async () => {
    await expect(`${GRANTS_HEADER}\n${await dump()}`).toMatchFileSnapshot(
      '../../migrations/grants.txt',
    );
  });

  it('matches the grants after a start, even if other grants existed before', async () => {
    const before = await dump();
    await query(url, `grant all on all tables in schema public to ${tenant}`);
    await query(url, `revoke insert on contacts from ${tenant}`);
    await query(url, `grant update (id) on organizations to ${tenant}`);
    await prepareDatabase(url, { waitMs: 5000, log: () => undefined });
    expect(await withClient(url, dumpGrants)).toBe(before);
  });

  it('comes from a list with every table of Switchboard, because an unlisted table can be read and written', async () => {
    const file = readFileSync(join(FOLDER, 'functions/tenant_privileges.sql'), 'utf8');
    const listed = new Set([...file.matchAll(/^ {2}\('(\w+)', /gm)].map(([, name]) => name));
    const tables = await withClient(url, async (client) => {
      const found = await client.query<{ name: string }>(
        `select relname as name from pg_class
         where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> 'migrations'`,
      );
      return found.rows.map(({ name }) => name);
    });
    expect([...listed].sort()).toEqual(tables.sort());
  });
});

describe('migrations on an empty database', () => {
  let url: string;
  let drop: () => Promise<void>;
  beforeAll(async () => ({ url, drop } = await createEmptyDatabase()));
  afterAll(() => drop());

  it('run once when two processes start simultaneously', async () => {
    const database = await createEmptyDatabase();
    const lines: string[] = [];
    const start = (): ReturnType<typeof prepareDatabase> =>
      prepareDatabase(database.url, { waitMs: 5000, log: (line) => lines.push(line) });
    const [one, two] = await Promise.all([start(), start()]);
    expect(one).toEqual(two);
    expect(lines).toEqual([`Ran ${MIGRATIONS.length} migrations of the database.`]);
    await database.drop();
  });

  it('all run, leave nothing when they are all reverted, and give the same schema when they run again', async () => {
    const empty = await objects(url);
    const names = MIGRATIONS.map(({ name }) => name);
    expect(await migrate(url)).toEqual(names);
    const full = await objects(url);
    expect(full.length).toBeGreaterThan(empty.length + 10);
    expect(await migrate(url)).toEqual([]);

    for (let count = MIGRATIONS.length; count > 0; count -= 1) await undoLast(url);
    // Only TypeORM's list of migrations may be left, and it must be empty.
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
      namingStrategy: new SnakeCaseNaming(),
    });
    await source.initialize();
  });
  afterAll(async () => {
    await source.destroy();
    await drop();
  });

  it('have the same tables', async () => {
    const rows = await source.query<{ name: string }[]>(
      `select relname as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
    );
    const tables = rows.map(({ name }) => name).filter((name) => !Object.hasOwn(NO_ENTITY, name));
    expect(source.entityMetadatas.map(({ tableName }) => tableName).sort()).toEqual(tables.sort());
    for (const name of Object.keys(NO_ENTITY)) {
      expect(
        rows.map((row) => row.name),
        `${name} is not a table: remove it from NO_ENTITY`,
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

/** Lists every object that migrations can create. */
async function objects(url: string): Promise<string[]> {
  return await withClient(url, async (client) => {
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
  });
}

async function query(url: string, text: string): Promise<void> {
  await withClient(url, (client) => client.query(text));
}

async function withClient<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function dropMigrationsTable(url: string): Promise<void> {
  await withClient(url, async (client) => {
    expect((await client.query('select from public.migrations')).rowCount).toBe(0);
    await client.query('drop table public.migrations');
  });
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
