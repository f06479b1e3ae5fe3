import type { PoolConfig } from 'pg';

/** The address, the roles and the keys of the database. Neither role owns the data. See `prepareDatabase`. */
export class DatabaseAccess {
  host: string;
  port: number;
  database: string;
  ssl: PoolConfig['ssl'];
  /** True when a pooler such as PgBouncer is between this process and PostgreSQL. */
  hasPooler: boolean;
  tenant: { user: string; password: string };
  gate: { user: string; password: string };
  /** The key that signs tenant contexts. */
  contextKey: Buffer;
  /** The key that encrypts stored secrets. */
  dataKey: Buffer;
}
