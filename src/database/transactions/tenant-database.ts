import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool } from 'pg';
import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { SecurityLog } from '../../security/security-log.js';
import { mapDatabaseError } from '../database-error.js';
import type { StatementLog } from '../statement-log.js';
import type { ActiveOrganizations } from './active-organizations.js';
import { AutocommitTransaction } from './autocommit-transaction.js';
import type { ContextSigner } from './context-signer.js';
import { type Effects, parseEffects, READ_EFFECTS, RECORD_EFFECTS } from './effects.js';
import { LazyTransaction } from './lazy-transaction.js';
import { MISTAKES } from './mistakes.js';
import { Sharing } from './sharing.js';
import { TenantConnections } from './tenant-connections.js';
import { TenantSession } from './tenant-session.js';
import type { TransactionOptions } from './transaction-options.js';

interface CurrentTransaction {
  readonly organizationId: string;
  readonly readOnly: boolean;
  readonly isDryRun: boolean;
  readonly transaction: LazyTransaction | AutocommitTransaction;
  /** The session of the transaction. Undefined in a dry run between its transactions. */
  readonly session: TenantSession | undefined;
  readonly afterCommit: (() => void)[];
}

/** Gives access to data of organizations, over the connections of the tenant role (`TenantConnections`). */
export class TenantDatabase {
  private readonly storage = new AsyncLocalStorage<CurrentTransaction | undefined>();
  private readonly connections: TenantConnections;
  private readonly sharing: Sharing;

  constructor(
    private readonly source: DataSource,
    signer: ContextSigner,
    security: SecurityLog,
    private readonly active: ActiveOrganizations,
    log: StatementLog,
  ) {
    const { master } = source.driver as PostgresDriver;
    this.connections = new TenantConnections(master as Pool, signer, log, security);
    this.sharing = new Sharing(this.connections);
  }

  /**
   * Runs `work` in a transaction of the organization and commits it, or rolls it back when `work` throws. Inside a
   * transaction of the same organization, `work` joins that transaction. Inside a transaction of another, this throws.
   */
  transaction<T>(
    organizationId: string,
    work: () => Promise<T>,
    { readOnly = false, singleStatement = false, sharesCommit = false }: TransactionOptions = {},
  ): Promise<T> {
    const outer = this.storage.getStore();
    if (outer) return this.join(outer, organizationId, work, readOnly);
    return readOnly || singleStatement
      ? this.runAutocommit(organizationId, work, readOnly)
      : this.runTransaction(organizationId, work, sharesCommit);
  }

  /** Runs `work` behind a savepoint. When `work` throws, rolls back to the savepoint. The transaction stays usable. */
  async savepoint<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    const outer = this.openTransaction();
    if (!outer) throw new Error(MISTAKES.noTransactionForSavepoint);
    assertSameOrganization(outer, organizationId);
    const afterCommit: (() => void)[] = [];
    const result = await this.runSavepoint({ ...outer, afterCommit }, work);
    outer.afterCommit.push(...afterCommit);
    return result;
  }

  /**
   * Runs `work`, then rolls back all of its transactions and drops the actions that wait for their commits. Inside a
   * dry run of the same organization, `work` joins that dry run.
   */
  async dryRun<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    if (this.storage.getStore()) {
      this.assertDryRun(organizationId);
      return await work();
    }
    const transaction = new LazyTransaction(this.connections, organizationId, true);
    const session = undefined;
    const current = { organizationId, readOnly: false, isDryRun: true, transaction, session };
    try {
      return await this.storage.run({ ...current, afterCommit: [] }, work);
    } catch (error) {
      throw mapDatabaseError(transaction.failure ?? error);
    } finally {
      await transaction.rollback();
    }
  }

  /** Runs `work` and returns the rows that its transactions changed. Throws outside a dry run. */
  async observe<T>(
    organizationId: string,
    work: () => Promise<T>,
  ): Promise<{ result: T } & Effects> {
    const { transaction } = this.assertDryRun(organizationId);
    try {
      await transaction.query(RECORD_EFFECTS, () => false);
      const result = await work();
      const { rows } = await transaction.query(READ_EFFECTS, () => false);
      // Both settings end with the transaction. If they are gone, SQL of `work` has committed the transaction.
      const { mode, effects } = rows[0] as { mode: string; effects: string };
      if (mode !== 'on' && mode !== 'full') {
        throw new Error('A statement of this dry run has committed it. Remove the statement.');
      }
      return { result, ...parseEffects(effects, mode === 'full') };
    } catch (error) {
      throw mapDatabaseError(error);
    }
  }

  /** Returns the session of the current transaction. Throws outside a transaction of this organization. */
  session(organizationId: string): TenantSession {
    const current = this.openTransaction();
    if (!current) throw new Error(MISTAKES.noTransaction);
    assertSameOrganization(current, organizationId);
    return current.session!;
  }

  /** Returns the TypeORM repository of an entity in the session of the current transaction. */
  repository<E extends ObjectLiteral>(organizationId: string, entity: EntityTarget<E>) {
    return this.session(organizationId).repository(entity);
  }

  /** Locks the organization until the current transaction ends. Other transactions that lock it wait until then. */
  async lockOrganization(organizationId: string): Promise<void> {
    await this.session(organizationId).query('select public.lock_organization()');
  }

  /** Runs `action` after the current transaction is committed. Never runs it if the transaction is rolled back. */
  afterCommit(action: () => void): void {
    const current = this.openTransaction();
    if (!current) throw new Error(MISTAKES.noTransactionForAction);
    current.afterCommit.push(action);
  }

  /** True inside a transaction. Call no other system there, because a connection would be occupied during the wait. */
  get inTransaction(): boolean {
    return this.openTransaction() !== undefined;
  }

  /** True inside a dry run, in which every transaction is rolled back. */
  get inDryRun(): boolean {
    return this.storage.getStore()?.isDryRun ?? false;
  }

  /** Runs `work` outside of the current transaction. Inside a dry run, its transactions are part of the dry run. */
  outside<T>(work: () => Promise<T>): Promise<T> {
    const outer = this.storage.getStore();
    // `exit()` is not used: in Node.js 20, when `work` begins another transaction, the outer transaction becomes
    // current again.
    return this.storage.run(outer?.isDryRun ? { ...outer, session: undefined } : undefined, work);
  }

  /** Disables the `AsyncLocalStorage`. An enabled one would make every later `await` of the process slower. */
  onApplicationShutdown(): void {
    this.storage.disable();
  }

  private async join<T>(
    outer: CurrentTransaction,
    organizationId: string,
    work: () => Promise<T>,
    readOnly: boolean,
  ): Promise<T> {
    assertSameOrganization(outer, organizationId);
    if (!outer.session) return await this.runInDryRun(outer, readOnly, work);
    if (outer.readOnly && !readOnly) throw new Error(MISTAKES.writeInReadOnly);
    if (outer.readOnly || !readOnly || outer.isDryRun) return await work();
    const session = new TenantSession(this.source, outer.transaction, true);
    return await this.runInSession({ ...outer, readOnly, session }, work);
  }

  private async runTransaction<T>(
    organizationId: string,
    work: () => Promise<T>,
    sharesCommit: boolean,
  ): Promise<T> {
    const sharing = sharesCommit ? this.sharing : undefined;
    const transaction = new LazyTransaction(this.connections, organizationId, false, sharing);
    const current = this.currentOf(organizationId, transaction, false);
    let result: T;
    try {
      result = await this.runInSession(current, work);
      await transaction.commit();
    } catch (error) {
      await transaction.rollback();
      throw mapDatabaseError(transaction.failure ?? error);
    }
    this.active.add(organizationId);
    for (const action of current.afterCommit) action();
    return result;
  }

  private async runAutocommit<T>(
    organizationId: string,
    work: () => Promise<T>,
    readOnly: boolean,
  ): Promise<T> {
    const statements = new AutocommitTransaction(this.connections, organizationId, readOnly);
    const current = this.currentOf(organizationId, statements, readOnly);
    let result: T;
    try {
      result = await this.storage.run(current, work);
    } catch (error) {
      throw mapDatabaseError(error);
    } finally {
      current.session?.end();
      if (!readOnly) this.active.add(organizationId);
    }
    for (const action of current.afterCommit) action();
    return result;
  }

  /** Runs a transaction of a dry run behind a savepoint, so that a failed statement does not abort the dry run. */
  private async runInDryRun<T>(
    outer: CurrentTransaction,
    readOnly: boolean,
    work: () => Promise<T>,
  ): Promise<T> {
    const send = (text: string) =>
      outer.transaction.query({ text, values: [], isInternal: true }, () => false);
    const undo = async (): Promise<void> => {
      await send('rollback to savepoint dry_transaction');
      await send('release savepoint dry_transaction');
    };
    await send('savepoint dry_transaction');
    try {
      if (readOnly) await send('set transaction read only');
      const session = new TenantSession(this.source, outer.transaction);
      const result = await this.runInSession({ ...outer, readOnly, session }, work);
      // Checks deferred constraints as a commit does, then defers them again for later transactions.
      await send('savepoint checked');
      await send('set constraints all immediate');
      await send('rollback to savepoint checked');
      // PostgreSQL cannot end READ ONLY without a rollback.
      if (readOnly) await undo();
      else await send('release savepoint dry_transaction');
      return result;
    } catch (error) {
      await undo().catch(() => undefined);
      throw mapDatabaseError(error);
    }
  }

  private async runSavepoint<T>(outer: CurrentTransaction, work: () => Promise<T>): Promise<T> {
    const { transaction, readOnly } = outer;
    const session = new TenantSession(this.source, transaction, readOnly);
    const run = (): Promise<T> => this.runInSession({ ...outer, session }, work);
    try {
      // Statements that commit separately have no savepoint.
      return transaction instanceof LazyTransaction
        ? await transaction.savepoint(run)
        : await run();
    } catch (error) {
      const failure = transaction instanceof LazyTransaction ? transaction.failure : undefined;
      throw mapDatabaseError(failure ?? error);
    }
  }

  private currentOf(
    organizationId: string,
    transaction: LazyTransaction | AutocommitTransaction,
    readOnly: boolean,
  ): CurrentTransaction {
    const session = new TenantSession(this.source, transaction);
    return { organizationId, readOnly, isDryRun: false, transaction, session, afterCommit: [] };
  }

  private async runInSession<T>(current: CurrentTransaction, work: () => Promise<T>): Promise<T> {
    try {
      return await this.storage.run(current, work);
    } finally {
      current.session?.end();
    }
  }

  /** Returns the transaction around the caller. A dry run is not a transaction, but contains transactions. */
  private openTransaction(): CurrentTransaction | undefined {
    const current = this.storage.getStore();
    return current?.session ? current : undefined;
  }

  private assertDryRun(organizationId: string): CurrentTransaction {
    const current = this.storage.getStore();
    if (!current?.isDryRun) throw new Error(MISTAKES.noDryRun);
    assertSameOrganization(current, organizationId);
    return current;
  }
}

function assertSameOrganization(current: CurrentTransaction, organizationId: string): void {
  if (current.organizationId !== organizationId) {
    throw new Error(MISTAKES.otherOrganization);
  }
}
