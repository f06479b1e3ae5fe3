import { Batcher } from '../../batching/batcher.js';
import { isConnectionError } from '../database-error.js';
import { type BoundStatement, prepared } from '../driver/statement.js';
import { mergeRows } from './merge-rows.js';
import type { DeferredStatement } from './statement-sender.js';
import { setContext, type TenantConnections } from './tenant-connections.js';

type Statements = readonly DeferredStatement[];
/** The outcome of a shared transaction, or the information that each of its members must be committed alone. */
type SharedOutcome = { isAlone: true } | { isAlone: false; error: Error | undefined };

/**
 * The largest number of characters of the values in one transaction. Only a transaction with a single member may have
 * more.
 */
const MAX_CHARACTERS = 1024 * 1024;
/**
 * The smallest weight of a member. It limits a shared transaction to 16 members. With more members, each would wait
 * longer for the slowest one.
 */
const MIN_WEIGHT = MAX_CHARACTERS / 16;

/**
 * The time for which members that share a transaction wait for a lock. After this time, each member is committed alone.
 * So a member that waits for a lock hardly delays the other members. PostgreSQL looks for deadlocks only after one
 * second, so the members cause no deadlock.
 */
const LIMIT_LOCK_WAITS: BoundStatement = {
  ...prepared('shared_lock_waits', `select set_config('lock_timeout', '50ms', true)`),
  values: [],
  isInternal: true,
};

/**
 * Commits transactions whose statements are all deferred. Transactions of one organization that end at the same moment
 * become one transaction, which takes one round trip. When the shared transaction fails, each member is committed
 * alone, so that a faulty member does not make the others fail.
 */
export class SharedCommits {
  private readonly batches = new Batcher<Statements, SharedOutcome>(
    (organizationId, members) => this.commitAll(organizationId, members),
    {
      maxWeight: MAX_CHARACTERS,
      weigh: (statements) => Math.max(MIN_WEIGHT, charactersOf(statements)),
    },
  );

  constructor(private readonly connections: TenantConnections) {}

  /**
   * Resolves when the statements are committed. Throws the error of a failed statement. When nobody knows whether the
   * statements were committed, throws an error that `isConnectionError` accepts.
   */
  async commit(organizationId: string, statements: Statements): Promise<void> {
    const { result } = await this.batches.add(organizationId, statements);
    // When a member that waits for a lock is committed alone, it does not delay the others.
    const error = result.isAlone ? await this.send(organizationId, statements, []) : result.error;
    if (error) throw error;
  }

  private async commitAll(
    organizationId: string,
    members: readonly Statements[],
  ): Promise<SharedOutcome> {
    const isShared = members.length > 1;
    const first = isShared ? [LIMIT_LOCK_WAITS] : [];
    const error = await this.send(organizationId, members.flat(), first);
    const isFinal = !isShared || !error || isConnectionError(error);
    return isFinal ? { isAlone: false, error } : { isAlone: true };
  }

  /**
   * Sends statements without BEGIN: PostgreSQL commits them when all have succeeded. When one fails, returns its error.
   */
  private async send(
    organizationId: string,
    given: Statements,
    first: readonly BoundStatement[],
    isRetry = false,
  ): Promise<Error | undefined> {
    const statements = mergeRows(given);
    try {
      const client = await this.connections.acquire(organizationId);
      const before = [setContext(this.connections.sign(client, organizationId)), ...first];
      const pipeline = this.connections.send(client, [...before, ...statements]);
      try {
        await pipeline.done;
        this.connections.release(client);
        return undefined;
      } catch (thrown) {
        this.connections.reportFailure(organizationId, thrown);
        if (!isConnectionError(thrown)) this.connections.release(client);
        else this.connections.close(client);
        if (isConnectionError(thrown) && !pipeline.wasSent && !isRetry) {
          return await this.send(organizationId, given, first, true);
        }
        throw statements[pipeline.completed - before.length]?.mapError?.(thrown as Error) ?? thrown;
      }
    } catch (error) {
      return error as Error;
    }
  }
}

function charactersOf(statements: Statements): number {
  const lengthOf = (value: unknown): number =>
    typeof value === 'string' || Buffer.isBuffer(value) ? value.length : 0;
  return statements.reduce(
    (sum, { values }) => sum + values.reduce<number>((part, value) => part + lengthOf(value), 0),
    0,
  );
}
