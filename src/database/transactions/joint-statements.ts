import type { QueryResult } from 'pg';
import type { BoundStatement } from '../driver/statement.js';
import { MISTAKES } from './mistakes.js';

interface Member {
  readonly statement: BoundStatement;
  readonly isClosed: () => boolean;
  readonly resolve: (result: QueryResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Collects statements of one transaction that arrive at the same moment, until they are sent in one round trip. */
export class JointStatements {
  private readonly members: Member[] = [];

  constructor(readonly readsOnly: boolean) {}

  /** Resolves to the result of the statement. */
  add(statement: BoundStatement, isClosed: () => boolean): Promise<QueryResult> {
    return new Promise((resolve, reject) => {
      this.members.push({ statement, isClosed, resolve, reject });
    });
  }

  /** Returns the statements to send. Rejects each statement whose session has ended meanwhile. */
  takeOpen(isOver: boolean): Member[] {
    return this.members.filter(({ isClosed, reject }) => {
      if (!isOver && !isClosed()) return true;
      reject(new Error(MISTAKES.endedSession));
      return false;
    });
  }
}
