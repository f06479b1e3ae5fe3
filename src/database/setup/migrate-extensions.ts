import {
  DataSource,
  type EntityMetadata,
  type EntityTarget,
  type MigrationInterface,
  type ObjectLiteral,
  QueryFailedError,
  type QueryRunner,
} from 'typeorm';
import { AppError } from '../../errors/app-error.js';
import { SnakeCaseNaming } from '../snake-case-naming.js';

export type MigrationClass = new () => MigrationInterface;

export interface ExtensionSchema {
  /** All entities of the process, because an entity of an extension may have relations to entities of Switchboard. */
  entities: readonly EntityTarget<ObjectLiteral>[];
  migrations: readonly MigrationClass[];
}

// Switchboard records its own migrations in another table. Extensions are released independently, so a list of all
// migrations would have no fixed order.
const MIGRATIONS_TABLE = 'extension_migrations';

/** Returns the name under which a migration is recorded. */
export function nameOf(Migration: MigrationClass): string {
  return new Migration().name ?? Migration.name;
}

/**
 * Runs missing migrations and returns their names. `only` names the migrations that may run. Throws if the table of a
 * migration or an entity is not isolated.
 */
export async function migrateExtensions(
  ownerUrl: string,
  { entities, migrations: all }: ExtensionSchema,
  only?: readonly string[],
): Promise<string[]> {
  const migrations = only ? all.filter((one) => only.includes(nameOf(one))) : all;
  const source = new DataSource({
    type: 'postgres',
    url: ownerUrl,
    entities: [...entities] as never[],
    migrations: migrations.map(failIfNotIsolated),
    migrationsTableName: MIGRATIONS_TABLE,
    migrationsTransactionMode: 'each',
    installExtensions: false,
    namingStrategy: new SnakeCaseNaming(),
    extra: { max: 1 },
  });
  await source.initialize();
  try {
    const done = migrations.length > 0 ? await source.runMigrations() : [];
    await assertIsolatedTables(source);
    return done.map((migration) => migration.name);
  } finally {
    await source.destroy();
  }
}

function failIfNotIsolated(Migration: MigrationClass): MigrationClass {
  const migration = new Migration();
  const name = nameOf(Migration);
  return class {
    readonly name = name;
    readonly transaction = migration.transaction;

    async up(runner: QueryRunner): Promise<void> {
      const before = await listTables(runner);
      await migration.up(runner).catch((error: unknown) => {
        throw toMigrationError(name, error);
      });
      const known = new Map(before.map((table) => [table.name, table.isolated]));
      const open = (await listTables(runner)).filter(
        (table) => !table.isolated && known.get(table.name) !== false,
      );
      if (open.length === 0) return;
      throw new AppError('forbidden', `The migration ${name} ${explainIsolation(open)}`);
    }

    async down(runner: QueryRunner): Promise<void> {
      await migration.down(runner);
    }
  };
}

function toMigrationError(name: string, error: unknown): unknown {
  if (!(error instanceof QueryFailedError)) return error;
  return new AppError(
    'internal',
    `The migration ${name} failed, and was rolled back: ${error.message}\n${error.query}`,
    { cause: error },
  );
}

function explainIsolation(open: readonly { name: string }[]): string {
  const calls = open.map(
    ({ name }) => `  await runner.query(\`select private.isolate('public.${name}')\`);`,
  );
  return (
    `does not isolate ${open.map(({ name }) => name).join(', ')}: every organization could see the rows of all ` +
    `others. It was rolled back. Add to its up():\n${calls.join('\n')}`
  );
}

async function listTables(runner: QueryRunner): Promise<{ name: string; isolated: boolean }[]> {
  return (await runner.query(`
    select relname as name, relrowsecurity and relforcerowsecurity as isolated
    from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`)) as {
    name: string;
    isolated: boolean;
  }[];
}

async function assertIsolatedTables(source: DataSource): Promise<void> {
  const runner = source.createQueryRunner();
  const found = new Map((await listTables(runner)).map((table) => [table.name, table.isolated]));
  await runner.release();
  const faults = source.entityMetadatas
    .filter((entity) => found.get(entity.tableName) !== true)
    .map((entity) => describeFault(entity, found.has(entity.tableName)));
  if (faults.length > 0) throw new AppError('forbidden', faults.join('\n'));
}

function describeFault({ name, tableName }: EntityMetadata, exists: boolean): string {
  return exists
    ? `The entity ${name} has the table ${tableName}, which is not isolated: every organization could see all rows. ` +
        `Add a migration that runs: select private.isolate('public.${tableName}')`
    : `The entity ${name} has no table public.${tableName}. List the migration that creates it under \`migrations\`.`;
}
