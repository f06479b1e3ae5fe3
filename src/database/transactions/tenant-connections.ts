import type { Pool, PoolClient } from 'pg';
import type { SecurityLog } from '../../security/security-log.js';
import { mapDatabaseError, sqlState } from '../database-error.js';
import { Pipeline } from '../driver/pipeline.js';
import { sessionSafety } from '../driver/session-safety.js';
import { cancelStatement, endSession } from '../driver/end-session.js';
import { resetSession, serverProcessId } from '../driver/session-settings.js';
import { type BoundStatement, prepared } from '../driver/statement.js';
import { ignoreErrorsInUse } from '../ignore-errors-in-use.js';
import type { StatementLog } from '../statement-log.js';
import { ConnectionShares } from './connection-shares.js';
import type { ContextSigner } from './context-signer.js';
import { assertAllowed } from './statement-sender.js';

/** Returns `now()` in milliseconds since 1970, rounded like a `timestamptz(3)`. */
const NOW = `(extract(epoch from now()) * 1000)::bigint`;
// Each transaction sets whether it is a dry run: SQL of an earlier transaction may have set it for the session.
const SET_CONTEXT = prepared(
  'context',
  `select ${NOW}, open_context($1, $2), set_config('switchboard.dry_run', $3, true)`,
);
const SET_READ_ONLY_CONTEXT = prepared(
  'context_read_only',
  `select ${NOW}, set_config('transaction_read_only', 'on', true), open_context($1, $2),
    set_config('switchboard.dry_run', 'off', true)`,
);

/**
 * The longest time, in milliseconds, for which a transaction can keep its connection. Without this limit, SQL of a tool
 * could keep its locks for as long as it sends statements, and PostgreSQL could not remove the old versions of any rows.
 */
const LONGEST_MS = 5 * 60_000;
/**
 * The longest time, in milliseconds, for which a transaction can keep its connection after a statement that may have
 * removed the time limits of the session.
 */
const LONGEST_CHANGED_MS = 30_000;

/** An organization and its signature for one connection. */
type SignedContext = readonly [organizationId: string, signature: string];

/**
 * Hands out pooled connections to tenant transactions. The connections log in as the tenant role (`roleName` in
 * `setup/prepare-database.ts`), so no transaction sets a role. `setContext` sets the organization of a transaction.
 */
export class TenantConnections {
  /** The connections whose sessions an earlier statement may have changed. */
  private readonly changed = new WeakSet<PoolClient>();
  /** The timers that end the transactions of connections that are in use. */
  private readonly deadlines = new WeakMap<PoolClient, NodeJS.Timeout>();
  /** The connections that are being ended. They must not return to the pool. */
  private readonly ending = new WeakSet<PoolClient>();
  private readonly shares: ConnectionShares;
  /** The organization of each connection that is in use. */
  private readonly holders = new WeakMap<PoolClient, string>();

  constructor(
    private readonly pool: Pool,
    private readonly signer: ContextSigner,
    private readonly log: StatementLog,
    private readonly security?: SecurityLog,
  ) {
    const { max, connectionTimeoutMillis } = pool.options;
    this.shares = new ConnectionShares(max, connectionTimeoutMillis!);
    ignoreErrorsInUse(pool);
  }

  /**
   * Returns a pooled connection. Its session is ended when the connection is still in use after five minutes. Throws
   * `unavailable` when the database cannot be reached or the organization gets no connection in time.
   */
  async acquire(organizationId: string): Promise<PoolClient> {
    const wait = this.shares.take(organizationId);
    if (wait) await wait;
    try {
      const client = await this.pool.connect();
      this.holders.set(client, organizationId);
      this.endAfter(client, LONGEST_MS);
      return client;
    } catch (error) {
      this.shares.release(organizationId);
      throw mapDatabaseError(error);
    }
  }

  /**
   * Sends statements in one round trip. A statement that may change the session is sent without its name. All later
   * statements are also sent without their names, because they could otherwise run a prepared statement that SQL has
   * replaced. The transaction then ends after 30 s at the latest, because SQL may have removed the limits of the session.
   */
  send(client: PoolClient, statements: readonly BoundStatement[]): Pipeline {
    if (statements.some(mayChangeSession)) this.noteChange(client);
    const pipeline = new Pipeline(
      this.changed.has(client) ? statements.map(withoutName) : statements,
    );
    client.query(pipeline);
    this.log.add(statements, pipeline.done, this.holders.get(client));
    return pipeline;
  }

  /**
   * Returns a connection to the pool. Resets its session first if a statement may have changed it. Closes a connection
   * with an open transaction instead, and a connection that is being ended.
   */
  release(client: PoolClient): void {
    if (client.getTransactionStatus() !== 'I' || this.ending.has(client)) this.close(client);
    else if (this.changed.has(client)) void this.reset(client);
    else this.giveBack(client, false);
  }

  /** Throws for SQL that is refused before it is sent. Reports the refusal, even if a tool later catches the error. */
  assertAllowed(organizationId: string, statement: BoundStatement): void {
    try {
      assertAllowed(statement);
    } catch (error) {
      this.security?.report('refused_statement', { subject: organizationId });
      throw error;
    }
  }

  /**
   * Reports 42501: a statement without privilege, or a context that nobody signed. It is reported here, because a tool
   * may catch the error later.
   */
  reportFailure(organizationId: string, error: unknown): void {
    if (sqlState(error) !== '42501') return;
    this.security?.report('isolation_failure', { subject: organizationId });
  }

  /** Closes a connection instead of returning it to the pool. */
  close(client: PoolClient): void {
    this.giveBack(client, true);
  }

  /** Signs the organization for the connection. `open_context()` of the database checks the signature. */
  sign(client: PoolClient, organizationId: string): SignedContext {
    return [organizationId, this.signer.sign(organizationId, serverProcessId(client))];
  }

  private noteChange(client: PoolClient): void {
    if (this.changed.has(client)) return;
    this.changed.add(client);
    this.endAfter(client, LONGEST_CHANGED_MS);
  }

  /** Ends the session of the connection if the connection is still in use after the given time. */
  private endAfter(client: PoolClient, milliseconds: number): void {
    const end = (): void => {
      this.ending.add(client);
      void endSession(client);
    };
    clearTimeout(this.deadlines.get(client));
    this.deadlines.set(client, setTimeout(end, milliseconds).unref());
  }

  private async reset(client: PoolClient): Promise<void> {
    try {
      await resetSession(client);
      this.changed.delete(client);
    } catch {
      this.close(client);
      return;
    }
    this.giveBack(client, this.ending.has(client));
  }

  private giveBack(client: PoolClient, isClosed: boolean): void {
    clearTimeout(this.deadlines.get(client));
    this.deadlines.delete(client);
    // PostgreSQL would notice the closed connection only after the statement, whose time limit SQL may have removed.
    if (isClosed && this.changed.has(client)) void cancelStatement(client);
    client.release(isClosed);
    this.shares.release(this.holders.get(client)!);
  }
}

/**
 * Binds the transaction to the organization of `context`. The signature is a bound value and never part of the SQL
 * text, so no SQL can read it. The setting that SQL can read is valid in this transaction only.
 */
export function setContext(
  context: SignedContext,
  { isDryRun = false, onBegin }: { isDryRun?: boolean; onBegin?: (now: Date) => void } = {},
): BoundStatement {
  return {
    ...SET_CONTEXT,
    isInternal: true,
    values: [...context, isDryRun ? 'on' : 'off'],
    onRow: toTime(onBegin),
  };
}

/** Binds the transaction as {@link setContext} does, and makes it READ ONLY. */
export function setReadOnlyContext(
  context: SignedContext,
  onBegin?: (now: Date) => void,
): BoundStatement {
  return { ...SET_READ_ONLY_CONTEXT, isInternal: true, values: context, onRow: toTime(onBegin) };
}

function toTime(onBegin?: (now: Date) => void): BoundStatement['onRow'] {
  return ([milliseconds]) => onBegin?.(new Date(Number(milliseconds)));
}

function mayChangeSession({ text, isInternal }: BoundStatement): boolean {
  return !isInternal && sessionSafety(text) !== 'safe';
}

function withoutName({ name: _, ...statement }: BoundStatement): BoundStatement {
  return statement;
}
