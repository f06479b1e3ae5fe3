export interface TransactionOptions {
  /**
   * The server refuses writes. Each statement sees the rows that were committed before the statement began (READ
   * COMMITTED).
   */
  readonly readOnly?: boolean;
  /**
   * `work` sends only one statement. The statement commits by itself, which saves the round trip of the commit. After a
   * broken connection, nobody knows whether the statement was committed. Inside another transaction, this option has no
   * effect.
   */
  readonly singleStatement?: boolean;
  /**
   * The transaction begins with the first statement that is neither deferred nor sent in an inner transaction with
   * `readOnly`. Until then, the reads of inner transactions commit separately. The deferred statements commit in one
   * round trip. Other transactions with this option that end at the same moment share this round trip. After a broken
   * connection, nobody knows whether the statements were committed.
   */
  readonly sharesCommit?: boolean;
}
