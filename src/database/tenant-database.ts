import { AsyncLocalStorage } from 'node:async_hooks';
import type { PoolClient } from 'pg';
import {
  type DataSource,
  type EntityManager,
  type QueryRunner,
  QueryRunnerAlreadyReleasedError,
} from 'typeorm';
import { BeginTenant } from './begin-tenant.js';
import type { ContextSigner } from './context-signer.js';
import { isConnectionError, mapDatabaseError, unavailable } from './database-error.js';

interface TenantTransaction {
  organizationId: string;
  readOnly: boolean;
  manager: EntityManager;
  afterCommit: (() => void)[];
}

/** The only way to the data of organizations: every statement runs in a transaction bound to one of them. */
export class TenantDatabase {
  private readonly current = new AsyncLocalStorage<TenantTransaction>();

  constructor(
    private readonly source: DataSource,
    private readonly signer: ContextSigner,
  ) {}

  /**
   * Runs `work` in a transaction of the organization and commits it; a throw rolls it back. Inside a transaction of
   * the same organization it joins that one; inside one of another organization it throws.
   */
  async transaction<T>(
    organizationId: string,
    work: () => Promise<T>,
    options: { readOnly?: boolean } = {},
  ): Promise<T> {
    const outer = this.current.getStore();
    if (outer) {
      this.assertSame(outer, organizationId);
      if (outer.readOnly && !options.readOnly) {
        throw new Error('A transaction that may write cannot join one that only reads.');
      }
      return await work();
    }
    const readOnly = options.readOnly ?? false;
    const runner = await this.begin(organizationId, readOnly);
    const transaction: TenantTransaction = {
      organizationId,
      readOnly,
      manager: runner.manager,
      afterCommit: [],
    };
    let result: T;
    try {
      result = await this.current.run(transaction, work);
      await runner.commitTransaction();
    } catch (error) {
      await rollback(runner);
      // TypeORM gives a runner back by itself when its connection dies, and the next query finds it gone.
      throw error instanceof QueryRunnerAlreadyReleasedError
        ? unavailable(error)
        : mapDatabaseError(error);
    }
    await runner.release();
    for (const action of transaction.afterCommit) action();
    return result;
  }

  /** The entity manager of the running transaction; throws outside one, or in one of another organization. */
  manager(organizationId: string): EntityManager {
    const transaction = this.current.getStore();
    if (!transaction) throw new Error('Data of an organization is reached in a transaction only.');
    this.assertSame(transaction, organizationId);
    return transaction.manager;
  }

  /** Runs `action` once the running transaction is committed, and never if it is rolled back. */
  afterCommit(action: () => void): void {
    const transaction = this.current.getStore();
    if (!transaction) throw new Error('There is no transaction to wait for.');
    transaction.afterCommit.push(action);
  }

  /** True inside a transaction. Outside calls must not be made there: they would hold a connection while they wait. */
  get inTransaction(): boolean {
    return this.current.getStore() !== undefined;
  }

  /** Runs `work` as if no transaction surrounded it. */
  outside<T>(work: () => Promise<T>): Promise<T> {
    return this.current.exit(work);
  }

  private async begin(organizationId: string, readOnly: boolean): Promise<QueryRunner> {
    try {
      return await this.beginOnce(organizationId, readOnly);
    } catch (error) {
      // The pool may hand out a connection whose server died meanwhile. Nothing has run yet, so once more is safe.
      if (!isConnectionError(error)) throw mapDatabaseError(error);
    }
    try {
      return await this.beginOnce(organizationId, readOnly);
    } catch (error) {
      throw mapDatabaseError(error);
    }
  }

  private async beginOnce(organizationId: string, readOnly: boolean): Promise<QueryRunner> {
    const runner = this.source.createQueryRunner();
    try {
      const client = (await runner.connect()) as PoolClient & { processID: number };
      const context = this.signer.sign(organizationId, client.processID);
      const begin = new BeginTenant(context, readOnly ? 'read' : 'write');
      client.query(begin);
      await begin.done;
    } catch (error) {
      await rollback(runner);
      throw error;
    }
    // TypeORM's own startTransaction would cost a round trip; these two fields are all that it would have set.
    Object.assign(runner, { isTransactionActive: true, transactionDepth: 1 });
    return runner;
  }

  private assertSame(transaction: TenantTransaction, organizationId: string): void {
    if (transaction.organizationId !== organizationId) {
      throw new Error('A transaction belongs to one organization only.');
    }
  }
}

async function rollback(runner: QueryRunner): Promise<void> {
  try {
    Object.assign(runner, { isTransactionActive: true, transactionDepth: 1 });
    await runner.rollbackTransaction();
    await runner.release();
  } catch {
    // The connection is in an unknown state: handing it back would give it to the next caller.
    await discard(runner);
  }
}

async function discard(runner: QueryRunner): Promise<void> {
  const client = (runner as unknown as { databaseConnection?: { end(): Promise<void> } })
    .databaseConnection;
  await client?.end().catch(() => undefined);
  await runner.release().catch(() => undefined);
}
