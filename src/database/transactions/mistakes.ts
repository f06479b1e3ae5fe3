/**
 * The texts of errors that only a mistake in code causes. Each text says what is wrong and which call to make. Callers
 * see these texts only with NODE_ENV=development.
 */
export const MISTAKES = {
  noTransaction:
    'There is no open transaction. Use session() and repository() of TenantDatabase in a tool, in its guards and ' +
    'interceptors, or inside transaction(organizationId, work). A tool with external: true has no transaction: call ' +
    'transaction() in its method.',
  noTransactionForSavepoint:
    'There is no open transaction. Call savepoint() of TenantDatabase inside transaction(organizationId, work).',
  noTransactionForAction:
    'There is no open transaction. Call afterCommit() of TenantDatabase inside transaction(organizationId, work).',
  otherOrganization:
    'This transaction belongs to another organization. A call can use only its own: pass call.organizationId.',
  noDryRun:
    'This is not a dry run. Call observe() of TenantDatabase inside dryRun(), and dryRun() outside of a transaction.',
  endedSession:
    'This session has ended, and its transaction may have ended too. Await every statement, and call session() of ' +
    'TenantDatabase for each use in place of keeping a session.',
  writeInReadOnly:
    'A transaction that may write cannot join one that only reads. Pass { readOnly: true } to transaction(), or remove ' +
    'readOnly: true from the tool. Guards and interceptors should only read: write in the method.',
  secondStatement:
    'This transaction may send one statement only. Remove singleStatement: true from its call of transaction().',
  deferredAlone:
    'Statements that commit separately cannot be deferred. Call query() in place of defer(), or open a transaction ' +
    'without readOnly and singleStatement.',
  endedTransaction:
    'A statement has ended the transaction that it ran in. Remove it: throw to roll back, or use savepoint() of ' +
    'TenantDatabase for a part.',
  caughtFailure:
    'A statement failed and its error was caught, so nothing was committed. Run statements that may fail inside ' +
    'savepoint(organizationId, work) of TenantDatabase.',
} as const;
