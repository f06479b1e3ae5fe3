import { Socket } from 'node:net';
import { Client } from 'pg';
import type { DatabaseAccess } from '../../src/database/setup/database-access.js';

let counter = 0;

export interface TestDatabase {
  readonly url: string;
  /** The access that `prepareDatabase` would return. The copy of a prepared template needs no preparation. */
  readonly access: DatabaseAccess;
  /** Drops the database. Throws when a connection to it stays open, unless `force` closes all connections. */
  readonly drop: (options?: { force: boolean }) => Promise<void>;
}

/** The beginning of the names of databases that several test files use. They are dropped after all tests. */
export const SHARED_PREFIX = 'shared_';

/** Creates a database as a copy of the migrated template. This takes about 0.1 s. */
export async function createTestDatabase(prefix = ''): Promise<TestDatabase> {
  const templateUrl = new URL(process.env.TEST_TEMPLATE_URL!);
  const template = templateUrl.pathname.slice(1);
  counter += 1;
  const name = `${prefix}${template}_${process.pid}_${counter}`;
  // The files are in memory, where `file_copy` takes half the processor time of a copy through the WAL.
  await asAdministrator(`create database ${name} template ${template} strategy file_copy`);
  // A copy does not have the grants of its template.
  await asAdministrator(`revoke temporary on database ${name} from public`);
  const url = new URL(templateUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    access: { ...templateAccess(), database: name },
    // PostgreSQL refuses to drop a database that has open connections. So a test that leaves a connection open fails,
    // unless it sets `force`.
    drop: (options) =>
      asAdministrator(`drop database ${name}${options?.force ? ' with (force)' : ''}`),
  };
}

/** Writes the access data of the template database into an environment variable, which test processes inherit. */
export function publishTemplateAccess(access: DatabaseAccess): void {
  const keys = [access.contextKey, access.dataKey].map((key) => key.toString('hex'));
  process.env.TEST_TEMPLATE_ACCESS = JSON.stringify({ ...access, keys });
}

function templateAccess(): DatabaseAccess {
  const { keys, ...access } = JSON.parse(process.env.TEST_TEMPLATE_ACCESS!) as DatabaseAccess & {
    keys: string[];
  };
  const [contextKey, dataKey] = keys.map((key) => Buffer.from(key, 'hex'));
  return { ...access, contextKey: contextKey!, dataKey: dataKey! };
}

/** The connection of each test process. Opening a connection takes 10 ms of processor time. */
let administrator: Promise<Client> | undefined;

async function connectAdministrator(): Promise<Client> {
  const url = new URL(process.env.TEST_TEMPLATE_URL!);
  url.pathname = '/postgres';
  // The connection stays open until the process ends. With `unref`, it does not keep the process alive.
  const client = new Client({ connectionString: url.href, stream: () => new Socket().unref() });
  await client.connect();
  return client;
}

async function asAdministrator(statement: string): Promise<void> {
  administrator ??= connectAdministrator();
  const client = await administrator;
  // PostgreSQL refuses to copy a template twice at the same time, so test files take turns.
  await client.query('select pg_advisory_lock(42)');
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await client.query(statement);
        return;
      } catch (error) {
        // 55006 means that an object is in use. The server ends the processes of closed connections a moment later.
        if ((error as { code?: string }).code !== '55006' || attempt === 50) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  } finally {
    await client.query('select pg_advisory_unlock(42)');
  }
}
