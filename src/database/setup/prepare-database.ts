import { randomBytes } from 'node:crypto';
import { Client, type ClientConfig } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../../../migrations/index.js';
import { AppError } from '../../errors/app-error.js';
import { assertIsolated } from './assert-isolated.js';
import { assertOwner, missingCreateRole } from './assert-owner.js';
import type { DatabaseAccess } from './database-access.js';
import { isConnectionError, sqlState } from '../database-error.js';
import { describeConnection } from './describe-connection.js';
import { counted } from '../../text/counted.js';
import { randomBase62 } from '../../text/ids.js';
import { type ExtensionSchema, migrateExtensions } from './migrate-extensions.js';
import { assertSessionMode, hasPooler } from './pooler-mode.js';

// All processes use the same advisory lock, so only one process migrates at a time.
const MIGRATION_LOCK = 7_316_402_281;
const RETRY_MS = 500;

export interface PrepareOptions {
  /** The time in milliseconds for which the start tries to connect before it fails. */
  waitMs: number;
  log: (line: string) => void;
  extensions?: ExtensionSchema;
}

interface Installation {
  suffix: string;
  tenant_password: string;
  gate_password: string;
  context_key: Buffer;
  data_key: Buffer;
}

/**
 * Migrates as the owner, creates missing roles of the service, and returns the address, the passwords and the keys with
 * which to connect as these roles. Throws if a role has rights that it must not have, or if another version of
 * Switchboard created the database.
 */
export async function prepareDatabase(
  ownerUrl: string,
  options: PrepareOptions,
): Promise<DatabaseAccess> {
  const config = parseIntoClientConfig(ownerUrl);
  const client = await connectPatiently(config, options);
  try {
    const isPooled = await hasPooler(client);
    if (isPooled) await assertSessionMode(config);
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await assertOwner(client);
    const migrated = await migrate(ownerUrl);
    const { extensions } = options;
    if (extensions) migrated.push(...(await migrateExtensions(ownerUrl, extensions)));
    if (migrated.length > 0)
      options.log(`Ran ${counted(migrated.length, 'migration')} of the database.`);
    const installation = await findOrCreateInstallation(client);
    if (migrated.length > 0 || !(await hasRoles(client, installation))) await ensureRoles(client);
    const access = toAccess(config, installation, isPooled);
    await assertIsolated(access);
    return access;
  } finally {
    await client.end();
  }
}

/** The names of all migrations of this version, oldest first. */
export const MIGRATION_NAMES: readonly string[] = MIGRATIONS.map(({ name }) => name);

/**
 * Takes the lock that every start holds while it migrates. The lock ends with the connection. Returns false when
 * another process has the lock.
 */
export async function tryLockMigrations(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    'select pg_try_advisory_lock($1) as locked',
    [MIGRATION_LOCK],
  );
  return rows[0]!.locked;
}

/**
 * Runs missing migrations, each in its own transaction, and returns their names. `only` names the migrations that may
 * run. Refuses newer databases.
 */
export async function migrate(
  ownerUrl: string,
  only: readonly string[] = MIGRATION_NAMES,
): Promise<string[]> {
  const source = new DataSource({
    type: 'postgres',
    url: ownerUrl,
    migrations: MIGRATIONS.filter(({ name }) => only.includes(name)),
    migrationsTransactionMode: 'each',
    installExtensions: false,
    extra: { max: 1 },
  });
  await source.initialize();
  try {
    await assertKnownMigrations(source);
    const migrations = await source.runMigrations();
    return migrations.map((migration) => migration.name);
  } finally {
    await source.destroy();
  }
}

async function assertKnownMigrations(source: DataSource): Promise<void> {
  const [table] = await source.query<[{ exists: boolean }]>(
    `select to_regclass('public.migrations') is not null as exists`,
  );
  if (!table.exists) return;
  const [unknown] = await source.query<{ name: string }[]>(
    'select name from public.migrations where name <> all ($1) order by id limit 1',
    [MIGRATION_NAMES],
  );
  if (!unknown) return;
  throw new AppError(
    'unavailable',
    `Another version of Switchboard created this database: it has the migration ${unknown.name}, which this version ` +
      'does not know. Set DATABASE_URL to a new database or, with the built-in PostgreSQL, set DATA_DIR to a new ' +
      'folder.',
  );
}

async function connectPatiently(config: ClientConfig, options: PrepareOptions): Promise<Client> {
  const deadline = Date.now() + options.waitMs;
  for (let attempt = 1; ; attempt += 1) {
    const client = new Client({ ...config, connectionTimeoutMillis: 5000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      const problem = describeConnection(error, client);
      if (!isConnectionError(error) || Date.now() > deadline) {
        throw new AppError('unavailable', `DATABASE_URL: ${problem}.`, { cause: error });
      }
      const seconds = Math.round(options.waitMs / 1000);
      if (attempt === 1) options.log(`DATABASE_URL: ${problem}. Trying again for ${seconds} s.`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

async function findOrCreateInstallation(client: Client): Promise<Installation> {
  const contextKey = randomBytes(32);
  await client.query(
    `insert into private.installation
       (suffix, tenant_password, gate_password, inner_key, outer_key, context_key, data_key)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
    [
      randomBytes(6).toString('hex'),
      randomBase62(43),
      randomBase62(43),
      paddedKey(contextKey, 0x36),
      paddedKey(contextKey, 0x5c),
      contextKey,
      randomBytes(32),
    ],
  );
  const found = await client.query<Installation>('select * from private.installation');
  return found.rows[0]!;
}

/** Returns the inner or outer key of HMAC (RFC 2104, section 2) for a key that is shorter than a SHA-256 block. */
function paddedKey(key: Buffer, pad: number): Buffer {
  const block = Buffer.alloc(64, pad);
  for (const [index, byte] of key.entries()) block[index] = byte ^ pad;
  return block;
}

async function ensureRoles(client: Client): Promise<void> {
  try {
    await client.query('select private.ensure_roles()');
  } catch (error) {
    throw sqlState(error) === '42501' ? missingCreateRole(client.user, error) : error;
  }
}

/**
 * Returns true when both roles exist and have exactly their grants. A start that was interrupted leaves roles without
 * grants, or with the grants of an earlier version.
 */
async function hasRoles(client: Client, installation: Installation): Promise<boolean> {
  const names = [roleName('tenant', installation), roleName('gate', installation)];
  const found = await client.query('select from pg_roles where rolname = any($1)', [names]);
  if (found.rows.length < names.length) return false;
  const missing = await client.query(
    `with actual as (
       select c.oid::regclass as target, lower(a.privilege_type) as privilege, null::text[] as columns
       from pg_class c, aclexplode(c.relacl) a
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.grantee = $1::regrole
       union all
       select t.attrelid::regclass, lower(a.privilege_type), array_agg(t.attname::text order by t.attname::text collate "C")
       from pg_attribute t join pg_class c on c.oid = t.attrelid, aclexplode(t.attacl) a
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.grantee = $1::regrole
       group by 1, 2)
     (select from (table actual except select * from private.tenant_privileges()) excess)
     union all
     (select from (select * from private.tenant_privileges() except table actual) missing)
     union all
     select from pg_proc
     where pronamespace = 'gate'::regnamespace and not has_function_privilege($2, oid, 'execute')
     union all
     select from pg_database
     where datname = current_database() and has_database_privilege($1, oid, 'temporary')`,
    names,
  );
  return missing.rows.length === 0;
}

function roleName(kind: 'tenant' | 'gate', installation: Installation): string {
  return `switchboard_${kind}_${installation.suffix}`;
}

function toAccess(
  config: ClientConfig,
  installation: Installation,
  hasPooler: boolean,
): DatabaseAccess {
  return {
    host: config.host ?? 'localhost',
    port: config.port ?? 5432,
    database: config.database ?? config.user ?? 'postgres',
    ssl: config.ssl ?? false,
    hasPooler,
    tenant: { user: roleName('tenant', installation), password: installation.tenant_password },
    gate: { user: roleName('gate', installation), password: installation.gate_password },
    contextKey: installation.context_key,
    dataKey: installation.data_key,
  };
}
