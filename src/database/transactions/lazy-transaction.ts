import type { PoolClient, QueryResult } from 'pg';
import { isConnectionError } from '../database-error.js';
import { type BoundStatement, prepared } from '../driver/statement.js';
import { MISTAKES } from './mistakes.js';
import { JointStatements } from './joint-statements.js';
import { isSavepoint, mergeRows, savepoint } from './merge-rows.js';
import type { Sharing } from './sharing.js';
import { assertOpen, type DeferredStatement, type StatementSender } from './statement-sender.js';
import { setContext, type TenantConnections } from './tenant-connections.js';

const BEGIN = internal('begin');
const COMMIT = internal('commit');
const ROLLBACK = internal('rollback');

/**
 * A transaction that begins with its first statement, in the same round trip. A call that sends no statement uses no
 * connection.
 */
export class LazyTransaction implements StatementSender {
  beganAt: Date | undefined;
  version = 0;
  /** The error after which the transaction cannot commit, even when the code in the transaction caught the error. */
  failure?: Error;
  private client?: PoolClient;
  private hasBegun = false;
  private isOver = false;
  private deferred: DeferredStatement[] = [];
  private savepoints = 0;
  /** The statements that wait for their turn. Further statements join them until the turn begins. */
  private joint?: JointStatements;
  /** A promise that resolves after the last statement. pg 9 allows one query at a time on a connection. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly connections: TenantConnections,
    private readonly organizationId: string,
    private readonly isDryRun: boolean,
    /**
     * With `sharing`, reads are sent separately and the commit is shared, as long as the transaction has only deferred
     * statements.
     */
    private readonly sharing?: Sharing,
  ) {}

  /**
   * Sends a statement. Statements that arrive at the same moment are sent in one round trip. When a statement fails,
   * the later statements of the round trip fail too.
   */
  async query(
    statement: BoundStatement,
    isClosed: () => boolean,
    readsOnly = false,
  ): Promise<QueryResult> {
    this.connections.assertAllowed(this.organizationId, statement);
    this.version += 1;
    if (this.joint?.readsOnly !== readsOnly) {
      const joint = new JointStatements(readsOnly);
      void this.inTurn(() => this.sendJoint(joint));
      this.joint = joint;
    }
    return await this.joint.add(statement, isClosed);
  }

  defer(statement: DeferredStatement): void {
    assertOpen(this.isOver);
    this.connections.assertAllowed(this.organizationId, statement);
    this.deferred.push(statement);
  }

  /** Runs `work` behind a savepoint, and rolls back to the savepoint when it throws. */
  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    this.savepoints += 1;
    const create = savepoint(this.savepoints);
    this.deferred.push(create);
    try {
      return await work();
    } catch (error) {
      this.version += 1;
      await this.inTurn(async () => {
        if (this.isOver) return;
        const unsent = this.deferred.indexOf(create);
        this.deferred.length = Math.max(unsent, 0);
        if (unsent < 0) {
          await this.send([{ text: `rollback to ${create.text}`, values: [], isInternal: true }]);
        }
      });
      throw error;
    } finally {
      this.savepoints -= 1;
    }
  }

  /**
   * Commits the transaction. Throws {@link failure} when an earlier statement failed, and `unavailable` when the
   * outcome of the commit is unknown.
   */
  async commit(): Promise<void> {
    this.isOver = true;
    await this.inTurn(async () => {
      const statements = this.takeDeferred().filter((statement) => !isSavepoint(statement));
      if (!this.client && !this.failure) {
        if (statements.length === 0) return;
        if (this.sharing) return await this.sharing.commits.commit(this.organizationId, statements);
      }
      const deferred = mergeRows(statements);
      // A broken connection can be replaced until a statement has run. Once the commit is sent, its outcome is unknown.
      if (!this.hasBegun) await this.send(deferred.splice(0));
      const { command } = await this.send([...deferred, COMMIT]);
      // PostgreSQL returns ROLLBACK, and no error, when an earlier statement failed and the work has caught its error.
      if (command !== 'COMMIT') throw new Error(MISTAKES.caughtFailure);
      this.connections.release(this.client!);
      this.client = undefined;
    });
  }

  /** Rolls the transaction back. Never throws. A connection that cannot be rolled back is closed. */
  async rollback(): Promise<void> {
    this.isOver = true;
    await this.inTurn(async () => {
      const { client } = this;
      if (!client) return;
      this.client = undefined;
      try {
        await this.connections.send(client, [ROLLBACK]).done;
        this.connections.release(client);
      } catch {
        this.connections.close(client);
      }
    });
  }

  /** Returns true when a read may be sent separately. Such a read does not see deferred statements. */
  private get mayReadApart(): boolean {
    const isFree = !this.client && !this.failure && this.sharing !== undefined;
    return isFree && this.deferred.every(isSavepoint);
  }

  /** Sends the statements that arrived together. Never rejects: each statement settles the promise of its caller. */
  private async sendJoint(joint: JointStatements): Promise<void> {
    if (this.joint === joint) this.joint = undefined;
    const members = joint.takeOpen(this.isOver);
    if (members.length === 0) return;
    if (joint.readsOnly && this.mayReadApart) {
      const reads = members.map(({ statement, resolve, reject }) =>
        this.readApart(statement).then(resolve, reject),
      );
      await Promise.all(reads);
      return;
    }
    const results: QueryResult[] = [];
    const asked = members.map(({ statement }) => {
      return { name: '', ...statement, onResult: (result: QueryResult) => results.push(result) };
    });
    try {
      await this.send(mergeRows([...this.takeDeferred(), ...asked]));
      if (this.client!.getTransactionStatus() !== 'T') {
        this.failure = new Error(MISTAKES.endedTransaction);
        results.length = 0;
        throw this.failure;
      }
    } catch (error) {
      for (const { reject } of members.slice(results.length)) reject(error);
    }
    for (const [index, result] of results.entries()) members[index]!.resolve(result);
  }

  private async readApart(statement: BoundStatement): Promise<QueryResult> {
    const { result, beganAt } = await this.sharing!.reads.read(this.organizationId, statement);
    this.beganAt ??= beganAt;
    return result;
  }

  private async inTurn<T>(task: () => Promise<T>): Promise<T> {
    // Without this line, a later statement could join the statements that are sent before `task`.
    this.joint = undefined;
    const turn = this.last.then(task);
    this.last = turn.catch(() => undefined);
    return await turn;
  }

  private takeDeferred(): DeferredStatement[] {
    const deferred = this.deferred;
    this.deferred = [];
    return deferred;
  }

  /** Sends statements. All but the last are deferred. Begins the transaction first if it has not begun. */
  private async send(
    statements: readonly (BoundStatement & Pick<DeferredStatement, 'mapError'>)[],
    isRetry = false,
  ): Promise<QueryResult> {
    if (this.failure) throw this.failure;
    const beginning = this.hasBegun ? [] : await this.begin();
    const pipeline = this.connections.send(this.client!, [...beginning, ...statements]);
    try {
      const result = await pipeline.done;
      this.hasBegun = true;
      return result;
    } catch (thrown) {
      this.connections.reportFailure(this.organizationId, thrown);
      this.hasBegun ||= pipeline.completed > 0;
      // The server may have ended the connection in the pool. No statement has run, so replace the connection.
      if (!this.hasBegun && !isRetry && isConnectionError(thrown)) {
        this.connections.close(this.client!);
        this.client = undefined;
        return await this.send(statements, true);
      }
      const failed = statements[pipeline.completed - beginning.length];
      const error = failed?.mapError?.(thrown as Error) ?? (thrown as Error);
      // Callers wait for the last statement and for statements with a result. Nobody waits for the other statements.
      const isAwaited = failed?.onResult !== undefined || failed === statements.at(-1);
      if (!isAwaited || failed?.mapError) this.failure = error;
      throw error;
    }
  }

  private async begin(): Promise<BoundStatement[]> {
    try {
      this.client ??= await this.connections.acquire(this.organizationId);
    } catch (error) {
      this.failure = error as Error;
      throw error;
    }
    const onBegin = (now: Date): void => {
      this.beganAt = now;
    };
    const context = this.connections.sign(this.client, this.organizationId);
    return [BEGIN, setContext(context, { isDryRun: this.isDryRun, onBegin })];
  }
}

function internal(text: string): BoundStatement & { name: string } {
  return { ...prepared(text, text), values: [], isInternal: true };
}
