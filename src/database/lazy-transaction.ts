import { type EntityManager, type QueryRunner, QueryRunnerAlreadyReleasedError } from 'typeorm';

/**
 * One transaction that begins with its first statement. A call that touches no data, as many tools do, then costs the
 * database nothing; every other call cannot tell the difference.
 */
export class LazyTransaction {
  private begun?: Promise<QueryRunner>;
  private face?: QueryRunner;
  private isOver = false;

  /**
   * `begin` hands out a connection on which the transaction is open, or throws and leaves nothing behind; `newRunner`
   * makes a runner that has no connection yet.
   */
  constructor(
    private readonly begin: () => Promise<QueryRunner>,
    private readonly newRunner: () => QueryRunner,
  ) {}

  /** What the work of the transaction sends its statements through. */
  get manager(): EntityManager {
    this.face ??= this.makeFace();
    return this.face.manager;
  }

  /** Throws what made it impossible to begin, also where the work has swallowed that. */
  async commit(): Promise<void> {
    this.end();
    await (await this.begun)?.commitTransaction();
  }

  /** Gives the connection back after a commit. */
  async release(): Promise<void> {
    await (await this.begun)?.release();
  }

  /** Never throws. A connection that cannot be rolled back is closed. */
  async rollback(): Promise<void> {
    this.end();
    const runner = await this.begun?.catch(() => undefined);
    if (runner) await rollback(runner);
  }

  /**
   * A statement that nobody waited for must not begin a transaction that nobody ends, nor run on the connection once
   * that belongs to somebody else.
   */
  private end(): void {
    this.isOver = true;
    void this.face?.release();
  }

  // A runner of its own, whose savepoints the work may count as it likes: the one that commits always commits.
  private makeFace(): QueryRunner {
    const face = this.newRunner();
    face.connect = () => this.connect();
    return markAsBegun(face);
  }

  private async connect(): Promise<unknown> {
    if (!this.begun && this.isOver) throw new QueryRunnerAlreadyReleasedError();
    this.begun ??= this.begin();
    const runner = await this.begun;
    // TypeORM gives a runner back by itself when its connection dies.
    if (this.isOver || runner.isReleased) throw new QueryRunnerAlreadyReleasedError();
    return await runner.connect();
  }
}

/** TypeORM's own startTransaction would cost a round trip; these two fields are all that it would have set. */
export function markAsBegun(runner: QueryRunner): QueryRunner {
  return Object.assign(runner, { isTransactionActive: true, transactionDepth: 1 });
}

/** Rolls back and gives the connection back, or closes it where that fails. */
export async function rollback(runner: QueryRunner): Promise<void> {
  try {
    await markAsBegun(runner).rollbackTransaction();
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
