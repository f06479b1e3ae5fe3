import type { PoolConfig } from 'pg';

/** Holds the connections of the service, which is never the owner of the data. `prepareDatabase` returns it. */
export class DatabaseAccess {
  host: string;
  port: number;
  database: string;
  ssl: PoolConfig['ssl'];
  /** A pooler such as PgBouncer answers between this process and PostgreSQL. */
  hasPooler: boolean;
  tenant: { user: string; password: string };
  gate: { user: string; password: string };
  /** This key signs tenant contexts. */
  contextKey: Buffer;
  /** This key encrypts stored secrets. */
  dataKey: Buffer;
}
