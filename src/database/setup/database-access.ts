import type { PoolConfig } from 'pg';

/** The connections of the service, which is never the owner of the data. `prepareDatabase` returns it. */
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
