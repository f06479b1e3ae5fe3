import type { Pool, PoolClient } from 'pg';
import { mapDatabaseError } from '../database-error.js';
import { type BoundStatement, prepared } from '../driver/statement.js';
import type { ContextSigner } from './context-signer.js';

/** The time of `now()` in milliseconds since 1970, rounded like a `timestamptz(3)`. */
const NOW = `(extract(epoch from now()) * 1000)::bigint`;
// Each transaction sets whether it is a dry run: SQL of an earlier one may have set it for the whole session.
const SET_CONTEXT = prepared(
  'context',
  `select ${NOW}, set_config('switchboard.context', $1, true), set_config('switchboard.dry_run', $2, true)`,
);
const SET_READ_ONLY_CONTEXT = prepared(
  'context_read_only',
  `select set_config('transaction_read_only', 'on', true), set_config('switchboard.context', $1, true),
    set_config('switchboard.dry_run', 'off', true)`,
);

/** Hands out pooled connections to tenant transactions. */
export class TenantConnections {
  constructor(
    private readonly pool: Pool,
    private readonly signer: ContextSigner,
  ) {
    // The pool listens to idle connections only, and a server that ends one in use would end this process.
    const ignore = (): void => undefined;
    pool.on('acquire', (client) => client.on('error', ignore));
    pool.on('release', (_, client) => client.off('error', ignore));
  }

  /** Throws `unavailable` when the database cannot be reached or the pool has no connection in time. */
  async acquire(): Promise<PoolClient> {
    try {
      return await this.pool.connect();
    } catch (error) {
      throw mapDatabaseError(error);
    }
  }

  /** Returns a connection to the pool, or closes it when a transaction is still open on it. */
  release(client: PoolClient): void {
    client.release(client.getTransactionStatus() !== 'I');
  }

  /** Signs the organization for the connection, as `current_organization()` of the database checks it. */
  sign(client: PoolClient, organizationId: string): string {
    const { processID } = client as PoolClient & { processID: number };
    return this.signer.sign(organizationId, processID);
  }
}

/**
 * Binds the transaction to the organization of `context`. The context is a bound value and never part of the SQL text:
 * every session of a role can read the SQL text of its other sessions in pg_stat_activity, and could use it again.
 */
export function setContext(
  context: string,
  { isDryRun = false, onBegin }: { isDryRun?: boolean; onBegin?: (now: Date) => void } = {},
): BoundStatement {
  return {
    ...SET_CONTEXT,
    values: [context, isDryRun ? 'on' : 'off'],
    onRow: ([milliseconds]) => onBegin?.(new Date(Number(milliseconds))),
  };
}

/** Like {@link setContext}, and makes the transaction READ ONLY. */
export function setReadOnlyContext(context: string): BoundStatement {
  return { ...SET_READ_ONLY_CONTEXT, values: [context] };
}
