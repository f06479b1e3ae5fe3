import type { QueryResult } from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';

/**
 * Runs TypeORM inside a transaction that has begun. Statements of TypeORM go to `send`, and its transactions become
 * savepoints.
 */
export class SessionQueryRunner extends PostgresQueryRunner {
  constructor(
    source: DataSource,
    private readonly send: (text: string, values?: readonly unknown[]) => Promise<QueryResult>,
  ) {
    super(source.driver as PostgresDriver, 'master');
    this.manager = source.createEntityManager(this);
    this.isTransactionActive = true;
    this.transactionDepth = 1;
  }

  override connect(): Promise<{ query: SessionQueryRunner['send'] }> {
    return Promise.resolve({ query: this.send });
  }
}
