import type { PoolConfig } from 'pg';

/** The connections of the running service, which never owns the data. `prepareDatabase` returns it. */
export class DatabaseAccess {
  host: string;
  port: number;
  database: string;
  ssl: PoolConfig['ssl'];
  tenant: { user: string; password: string };
  gate: { user: string; password: string };
  /** Key that signs tenant contexts. */
  contextKey: Buffer;
  /** Key that encrypts stored secrets. */
  dataKey: Buffer;
}
