export interface TransactionOptions {
  /**
   * The server refuses writes. Each statement sees the rows that were committed before the statement began (READ
   * COMMITTED).
   */
  readonly readOnly?: boolean;
  /**
   * `work` sends one statement, which commits by itself and saves the round trip of the commit. After a broken
   * connection, nobody knows whether it was committed. Inside another transaction this has no effect.
   */
  readonly singleStatement?: boolean;
  /**
   * The transaction begins with the first statement that is neither deferred nor sent in an inner transaction with
   * `readOnly`. Until then, the reads of inner transactions commit separately. The deferred statements commit in one
   * round trip, together with those of other such transactions that end at the same moment. After a broken connection,
   * nobody knows whether they were committed.
   */
  readonly sharesCommit?: boolean;
}
