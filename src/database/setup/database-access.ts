import type { PoolConfig } from 'pg';

/** How the running service connects: never as the owner of the data. Made by `prepareDatabase`. */
export interface DatabaseAccess {
  host: string;
  port: number;
  database: string;
  ssl: PoolConfig['ssl'];
  tenant: { user: string; password: string };
  gate: { user: string; password: string };
  /** Signs tenant contexts. */
  contextKey: Buffer;
  /** Encrypts stored secrets. */
  dataKey: Buffer;
}
