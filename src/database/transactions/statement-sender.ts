import type { QueryResult } from 'pg';
import { sessionSafety } from '../driver/session-safety.js';
import type { BoundStatement } from '../driver/statement.js';

export interface DeferredStatement extends BoundStatement {
  readonly name: string;
  /** Translates an error of this statement. Returns undefined for errors that stay as they are. */
  readonly mapError?: (error: Error) => Error | undefined;
}

/** Sends the statements of all sessions of one transaction. */
export interface StatementSender {
  /** Sends one statement when its turn comes, unless `isClosed` is true by then. */
  query(statement: BoundStatement, isClosed: () => boolean): Promise<QueryResult>;
  defer(statement: DeferredStatement): void;
  /** Grows with each statement that is not deferred and each rollback to a savepoint. Equal values mean: nothing changed. */
  readonly version: number;
  /** The database's `now()` of the transaction, when a statement has begun it. */
  readonly beganAt: Date | undefined;
}

export function assertOpen(isClosed: boolean): void {
  if (isClosed) throw new Error('This session has ended, and its transaction may have too.');
}

/** Throws for SQL that would begin or end a transaction: what it wrote could not be rolled back any more. */
export function assertKeepsTransaction({ text, isInternal }: BoundStatement): void {
  if (isInternal || sessionSafety(text) !== 'ends transaction') return;
  throw new Error(`SQL cannot begin or end the transaction that it runs in: ${text.slice(0, 100)}`);
}
