import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource, EntityManager } from 'typeorm';
import type { TransactionMode } from './begin-tenant.js';
import type { ContextSigner } from './context-signer.js';
import { transactionFailure } from '../database-error.js';
import { type Effects, parseEffects } from './effects.js';
import type { LastFound } from './last-found.js';
import { type LazyTransaction, markAsBegun, type Sender } from './lazy-transaction.js';
import type { Part } from '../driver/pipelined-query.js';
import { TransactionFactory } from './transaction-factory.js';

interface TenantTransaction {
  organizationId: string;
  /** `dry`: inside a dry run, and in none of the transactions that it consists of. */
  mode: TransactionMode;
  isDryRun: boolean;
  lazy: LazyTransaction;
  /** What the caller's statements go through: the transaction itself, or a stretch of it. */
  sender: Sender;
  afterCommit: (() => void)[];
}

/** The only way to the data of organizations: every statement runs in a transaction bound to one of them. */
export class TenantDatabase {
  private readonly current = new AsyncLocalStorage<TenantTransaction>();
  private readonly transactions: TransactionFactory;

  constructor(source: DataSource, signer: ContextSigner) {
    this.transactions = new TransactionFactory(source, signer);
  }

  /**
   * Runs `work` in a transaction of the organization and commits it; a throw rolls it back. It begins with the first
   * statement. Inside a transaction of the same organization it joins that one; inside one of another organization it
   * throws.
   */
  transaction<T>(
    organizationId: string,
    work: () => Promise<T>,
    { readOnly = false }: { readOnly?: boolean } = {},
  ): Promise<T> {
    const outer = this.current.getStore();
    return outer
      ? this.joined(outer, organizationId, work, readOnly)
      : this.begun(organizationId, readOnly ? 'read' : 'write', work);
  }

  /**
   * Runs `work` as if its transactions were real, then rolls all of them back; nothing waits for their commit with
   * success. Inside a dry run of the same organization it joins that one.
   */
  async dryRun<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    if (!this.current.getStore()) return await this.begun(organizationId, 'dry', work);
    this.dryRunOf(organizationId);
    return await work();
  }

  /** Inside a dry run: runs `work`, and tells which rows its transactions changed. */
  async observe<T>(
    organizationId: string,
    work: () => Promise<T>,
  ): Promise<{ result: T } & Effects> {
    const { manager } = this.dryRunOf(organizationId).lazy;
    try {
      await manager.query(
        `select set_config('switchboard.dry_run', 'on', true), set_config('switchboard.effects', '', true)`,
      );
      const result = await work();
      const [settings] = await manager.query<{ mode: string; noted: string }[]>(
        `select current_setting('switchboard.dry_run', true) as mode,
           current_setting('switchboard.effects', true) as noted`,
      );
      // Both settings end with the transaction; SQL of the work that said "commit" would have made it real.
      const { mode, noted } = settings!;
      if (mode !== 'on' && mode !== 'full') {
        throw new Error('A dry run did not stay in its transaction.');
      }
      return { result, ...parseEffects(noted, mode === 'full') };
    } catch (error) {
      throw transactionFailure(error);
    }
  }

  /** The entity manager of the running transaction; throws outside one, or in one of another organization. */
  manager(organizationId: string): EntityManager {
    return this.transactionOf(organizationId).sender.manager;
  }

  /**
   * Rows of one statement of a transaction that only reads. Before all others it is a transaction by itself, which takes
   * one way to the server and back in place of two; what comes after it begins anew, and sees what was committed since.
   */
  async read<Row>(organizationId: string, text: string, values: unknown[]): Promise<Row[]> {
    const { mode, isDryRun, lazy, sender } = this.transactionOf(organizationId);
    return mode === 'read' && !isDryRun && lazy.isUntouched
      ? await this.transactions.make(organizationId, 'read once').once(text, values)
      : await sender.manager.query<Row[]>(text, values);
  }

  /**
   * Rows of one statement that is a transaction by itself: it is committed when this resolves, after one way to the
   * server and back. Throws `unavailable` where nobody can tell what became of it. Must not be called inside a
   * transaction.
   */
  async writeOnce<Row>(organizationId: string, text: string, values: unknown[]): Promise<Row[]> {
    if (this.current.getStore()) throw new Error('It would not be part of the transaction.');
    try {
      return await this.transactions.make(organizationId, 'write once').once(text, values);
    } catch (error) {
      throw transactionFailure(error);
    }
  }

  /** Inside a transaction: what its last statement found. */
  lastFound(organizationId: string): LastFound {
    return this.transactionOf(organizationId).lazy.lastFound;
  }

  /**
   * Inside a transaction: when that began, by the clock of the database, to the millisecond. What is inserted in it with
   * `now()` has this time.
   */
  async now(organizationId: string): Promise<Date> {
    return await this.transactionOf(organizationId).lazy.now();
  }

  /** Inside a transaction: runs `work` as a stretch of it; a throw undoes that, and the transaction can go on. */
  async undoably<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    const transaction = this.open();
    if (!transaction || transaction.isDryRun) throw new Error('There is no transaction to go on.');
    this.assertSame(transaction, organizationId);
    const { lazy } = transaction;
    const afterCommit: (() => void)[] = [];
    try {
      const result = await lazy.undoably((sender) =>
        this.current.run({ ...transaction, sender, afterCommit }, work),
      );
      transaction.afterCommit.push(...afterCommit);
      return result;
    } catch (error) {
      throw lazy.fault ?? transactionFailure(error);
    }
  }

  /**
   * Carries a statement out whose result nobody waits for, on the way of the next one or before the commit, which fails
   * if it fails.
   */
  defer(organizationId: string, part: Part): void {
    this.transactionOf(organizationId).sender.defer(part);
  }

  /** Runs `action` once the running transaction is committed, and never if it is rolled back. */
  afterCommit(action: () => void): void {
    const transaction = this.open();
    if (!transaction) throw new Error('There is no transaction to wait for.');
    transaction.afterCommit.push(action);
  }

  /** True inside a transaction. Outside calls must not be made there: they would hold a connection while they wait. */
  get inTransaction(): boolean {
    return this.open() !== undefined;
  }

  /** True inside a dry run, whose every transaction is going to be rolled back. */
  get inDryRun(): boolean {
    return this.current.getStore()?.isDryRun ?? false;
  }

  /** Runs `work` as if no transaction surrounded it; but a dry run has no outside. */
  outside<T>(work: () => Promise<T>): Promise<T> {
    const transaction = this.current.getStore();
    return transaction?.isDryRun
      ? this.current.run({ ...transaction, mode: 'dry' }, work)
      : this.current.exit(work);
  }

  private async joined<T>(
    outer: TenantTransaction,
    organizationId: string,
    work: () => Promise<T>,
    readOnly: boolean,
  ): Promise<T> {
    this.assertSame(outer, organizationId);
    if (outer.mode === 'dry') return await this.imitated(outer, readOnly, work);
    if (outer.mode === 'read' && !readOnly) {
      throw new Error('A transaction that may write cannot join one that only reads.');
    }
    return await work();
  }

  private async begun<T>(
    organizationId: string,
    mode: TransactionMode,
    work: () => Promise<T>,
  ): Promise<T> {
    const lazy = this.transactions.make(organizationId, mode);
    const isDryRun = mode === 'dry';
    const transaction: TenantTransaction = {
      organizationId,
      mode,
      isDryRun,
      lazy,
      sender: lazy,
      afterCommit: [],
    };
    let result: T;
    let isUnused = false;
    try {
      result = await this.current.run(transaction, work);
      isUnused = lazy.endUnused();
      if (!isDryRun && !isUnused) await lazy.commit();
    } catch (error) {
      await lazy.rollback();
      throw lazy.fault ?? transactionFailure(error);
    }
    if (isDryRun) {
      await lazy.rollback();
      return result;
    }
    if (!isUnused) await lazy.release();
    for (const action of transaction.afterCommit) action();
    return result;
  }

  /** A transaction of a dry run: a savepoint, so that one that fails, also by a failed statement, spoils no other. */
  private async imitated<T>(
    outer: TenantTransaction,
    readOnly: boolean,
    work: () => Promise<T>,
  ): Promise<T> {
    const { manager } = outer.lazy;
    const undo = `rollback to savepoint begun; release savepoint begun`;
    try {
      await manager.query(`savepoint begun${readOnly ? '; set transaction read only' : ''}`);
      const mode = readOnly ? 'read' : 'write';
      const result = await this.current.run({ ...outer, mode }, work);
      // As at a commit. Then deferred again, for the transactions that follow.
      await manager.query(`savepoint committed; set constraints all immediate`);
      await manager.query(`rollback to savepoint committed`);
      // Going back is also the way out of READ ONLY.
      await manager.query(readOnly ? undo : `release savepoint begun`);
      return result;
    } catch (error) {
      await manager.query(undo).catch(() => undefined);
      throw transactionFailure(error);
    } finally {
      // Savepoints of TypeORM that the work has left open are gone with this one.
      markAsBegun(manager.queryRunner!);
    }
  }

  /** The transaction that surrounds the caller, as far as the caller knows. */
  private open(): TenantTransaction | undefined {
    const transaction = this.current.getStore();
    return transaction?.mode === 'dry' ? undefined : transaction;
  }

  private transactionOf(organizationId: string): TenantTransaction {
    const transaction = this.open();
    if (!transaction) throw new Error('Data of an organization is reached in a transaction only.');
    this.assertSame(transaction, organizationId);
    return transaction;
  }

  private dryRunOf(organizationId: string): TenantTransaction {
    const transaction = this.current.getStore();
    if (!transaction?.isDryRun) throw new Error('This is not a dry run.');
    this.assertSame(transaction, organizationId);
    return transaction;
  }

  private assertSame(transaction: TenantTransaction, organizationId: string): void {
    if (transaction.organizationId !== organizationId) {
      throw new Error('A transaction belongs to one organization only.');
    }
  }
}
