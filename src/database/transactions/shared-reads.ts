import type { QueryResult } from 'pg';
import { Batcher } from '../../batching/batcher.js';
import { isConnectionError } from '../database-error.js';
import type { BoundStatement } from '../driver/statement.js';
import { AutocommitTransaction } from './autocommit-transaction.js';
import { setReadOnlyContext, type TenantConnections } from './tenant-connections.js';

/** The result of a statement and the database's `now()` of its transaction. */
export interface ReadResult {
  readonly result: QueryResult;
  readonly beganAt: Date | undefined;
}

/**
 * The largest number of statements of a transaction. The number is small, because every statement waits for the slowest
 * statement of its transaction.
 */
const MOST_STATEMENTS = 16;

/**
 * Sends statements that only read, outside of the transactions that wait for them. Prepared statements of one
 * organization that arrive at the same moment become one READ ONLY transaction, which takes one round trip. Other
 * statements are sent alone, because they may be slow.
 */
export class SharedReads {
  private readonly batches = new Batcher<BoundStatement, readonly ReadResult[] | undefined>(
    (organizationId, statements) => this.readTogether(organizationId, statements),
    { maxWeight: MOST_STATEMENTS },
  );

  constructor(private readonly connections: TenantConnections) {}

  /** Reads committed rows, outside a transaction of the caller. Repeats the statement once if the connection breaks. */
  async read(organizationId: string, statement: BoundStatement): Promise<ReadResult> {
    if (statement.name === undefined) return await this.readAlone(organizationId, statement);
    const { result, index } = await this.batches.add(organizationId, statement);
    return result?.[index] ?? (await this.readAlone(organizationId, statement));
  }

  private async readAlone(organizationId: string, statement: BoundStatement): Promise<ReadResult> {
    const reads = new AutocommitTransaction(this.connections, organizationId, true);
    const result = await reads.query(statement, () => false);
    return { result, beganAt: reads.beganAt };
  }

  /**
   * Sends reads in one transaction and returns their results. Returns undefined when each statement must be sent alone,
   * so that no statement fails because of another.
   */
  private async readTogether(
    organizationId: string,
    statements: readonly BoundStatement[],
  ): Promise<readonly ReadResult[] | undefined> {
    if (statements.length === 1) return undefined;
    const results: QueryResult[] = [];
    let beganAt: Date | undefined;
    const client = await this.connections.acquire(organizationId);
    const context = setReadOnlyContext(
      this.connections.sign(client, organizationId),
      (now) => (beganAt = now),
    );
    const reads = statements.map((statement) => ({
      ...statement,
      onResult: (result: QueryResult) => results.push(result),
    }));
    try {
      await this.connections.send(client, [context, ...reads]).done;
      this.connections.release(client);
      return results.map((result) => ({ result, beganAt }));
    } catch (error) {
      if (isConnectionError(error)) this.connections.close(client);
      else this.connections.release(client);
      return undefined;
    }
  }
}
