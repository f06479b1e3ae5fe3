import { Batcher } from '../../batching/batcher.js';
import { isConnectionError } from '../database-error.js';
import { mergeRows } from './merge-rows.js';
import type { DeferredStatement } from './statement-sender.js';
import { setContext, type TenantConnections } from './tenant-connections.js';

type Statements = readonly DeferredStatement[];

/** Limits the characters of the values in one transaction, unless one of its members has more. */
const MAX_CHARACTERS = 1024 * 1024;
/** Limits the members of a transaction to 16, because all of them wait for the slowest. */
const MIN_WEIGHT = MAX_CHARACTERS / 16;

/**
 * Commits transactions whose statements are all deferred. Those of one organization that end at the same moment become one
 * transaction, which takes one round trip. When it fails, each member is committed alone, so none fails because of another.
 */
export class SharedCommits {
  private readonly batches = new Batcher<Statements, readonly (Error | undefined)[]>(
    (organizationId, members) => this.commitAll(organizationId, members),
    MAX_CHARACTERS,
    (statements) => Math.max(MIN_WEIGHT, charactersOf(statements)),
  );

  constructor(private readonly connections: TenantConnections) {}

  /**
   * Resolves once the statements are committed. Throws their error, or one that `isConnectionError` accepts when nobody
   * knows whether they were committed.
   */
  async commit(organizationId: string, statements: Statements): Promise<void> {
    const { result, index } = await this.batches.add(organizationId, statements);
    if (result[index]) throw result[index];
  }

  private async commitAll(
    organizationId: string,
    members: readonly Statements[],
  ): Promise<readonly (Error | undefined)[]> {
    const error = await this.send(organizationId, members.flat());
    if (!error || members.length === 1 || isConnectionError(error)) return members.map(() => error);
    return await Promise.all(members.map((member) => this.send(organizationId, member)));
  }

  /** Sends statements without BEGIN: PostgreSQL commits them when all have succeeded. Returns the error otherwise. */
  private async send(
    organizationId: string,
    given: Statements,
    isRetry = false,
  ): Promise<Error | undefined> {
    const statements = mergeRows(given);
    try {
      const client = await this.connections.acquire(organizationId);
      const context = this.connections.sign(client, organizationId);
      const pipeline = this.connections.send(client, [setContext(context), ...statements]);
      try {
        await pipeline.done;
        this.connections.release(client);
        return undefined;
      } catch (thrown) {
        this.connections.reportFailure(organizationId, thrown);
        if (!isConnectionError(thrown)) this.connections.release(client);
        else this.connections.close(client);
        if (isConnectionError(thrown) && !pipeline.wasSent && !isRetry) {
          return await this.send(organizationId, given, true);
        }
        throw statements[pipeline.completed - 1]?.mapError?.(thrown as Error) ?? thrown;
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
