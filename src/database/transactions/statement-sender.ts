import type { QueryResult } from 'pg';
import { sessionSafety } from '../driver/session-safety.js';
import type { BoundStatement, RowsStatement } from '../driver/statement.js';
import { MISTAKES } from './mistakes.js';

export interface DeferredStatement extends BoundStatement {
  readonly name: string;
  /**
   * Converts rows to the values of one statement. When this function is present, `values` has the values of one row,
   * and the rows of one transaction become one statement; see `mergeRows`.
   */
  readonly toValues?: RowsStatement['toValues'];
  /** Translates an error of this statement. Returns undefined to keep the error. */
  readonly mapError?: (error: Error) => Error | undefined;
}

/** Sends the statements of all sessions of one transaction. */
export interface StatementSender {
  /**
   * Sends one statement after the earlier statements. Throws if `isClosed` returns true when the statement is about to
   * be sent. With `readsOnly`, the statement may be sent outside of the transaction. The server then refuses writes.
   */
  query(
    statement: BoundStatement,
    isClosed: () => boolean,
    readsOnly?: boolean,
  ): Promise<QueryResult>;
  defer(statement: DeferredStatement): void;
  /** A number that grows with each statement and each rollback to a savepoint, but not with deferred statements. */
  readonly version: number;
  /**
   * The time at which the transaction began, by the database clock. If no transaction has begun, the time of the first
   * read that was sent without a transaction. Undefined until a statement was sent.
   */
  readonly beganAt: Date | undefined;
}

export function assertOpen(isClosed: boolean): void {
  if (isClosed) throw new Error(MISTAKES.endedSession);
}

/**
 * Throws for SQL that would begin or end a transaction, because its changes could no longer be rolled back. Throws also
 * for SQL that could change more than rows.
 */
export function assertAllowed({ text, isInternal }: BoundStatement): void {
  if (isInternal) return;
  const safety = sessionSafety(text);
  if (safety === 'ends transaction') {
    throw new Error(
      `SQL cannot begin or end the transaction that it runs in. Use transaction() and savepoint() of TenantDatabase: ${text.slice(0, 100)}`,
    );
  }
  if (safety === 'forbidden') {
    throw new Error(
      `SQL of a transaction reads and writes rows. Put other commands into a migration: ${text.slice(0, 100)}`,
    );
  }
}
