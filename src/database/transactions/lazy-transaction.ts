import type { QueryResult } from 'pg';
import { type EntityManager, type QueryRunner, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { askForNow } from './begin-tenant.js';
import { isConnectionError } from '../database-error.js';
import { LastFound } from './last-found.js';
import type { Part } from '../driver/pipelined-query.js';
import type { Statements } from '../driver/statements.js';

/** What statements are sent through. */
export interface Sender {
  readonly manager: EntityManager;
  /** Carries the statement out before the next one, or before the commit; fails with that if it fails. */
  defer(part: Part): void;
}

const SAVEPOINT = { name: 'switchboard_savepoint', text: 'savepoint stretch', values: [] };
const UNDO = { name: 'switchboard_undo', text: 'rollback to savepoint stretch', values: [] };

/** A connection in the hands of a transaction. */
export interface Begun {
  readonly runner: QueryRunner;
  readonly statements: Statements;
  /** The database's `now()` of the transaction, once it has begun. */
  readonly now: () => Date | undefined;
}

/**
 * One transaction that begins with its first statement. A call that touches no data, as many tools do, then costs the
 * database nothing; every other call cannot tell the difference.
 */
export class LazyTransaction implements Sender {
  /** What was wrong with a statement that nobody waited for. */
  fault?: Error;
  /** Statements that are deferred change nothing that is kept there. */
  readonly lastFound = new LastFound();
  private begun?: Promise<Begun>;
  private face?: QueryRunner;
  private deferred: Part[] = [];
  private isOver = false;
  private isSecondTry = false;

  /**
   * `begin` hands out a connection whose first statement begins the transaction, or throws and leaves nothing behind;
   * `newRunner` makes a runner that has no connection yet.
   */
  constructor(
    private readonly begin: () => Promise<Begun>,
    private readonly newRunner: () => QueryRunner,
  ) {}

  /** What the work of the transaction sends its statements through. */
  get manager(): EntityManager {
    this.face ??= this.makeFace(() => this.isOver);
    return this.face.manager;
  }

  /** True before the first statement, as long as there can be one. */
  get isUntouched(): boolean {
    return !this.begun && this.deferred.length === 0 && !this.isOver;
  }

  /** The rows of the one statement of a transaction that ends with it by itself. */
  async once<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    try {
      const result = await this.attempt([], (statements) => statements.query([], text, values));
      await this.release();
      return result.rows as Row[];
    } catch (error) {
      await this.rollback();
      throw error;
    }
  }

  /** The database's `now()` of the transaction; begins it if need be. */
  async now(): Promise<Date> {
    if (this.isOver) throw new QueryRunnerAlreadyReleasedError();
    let now = (await this.begun)?.now();
    if (now) return now;
    // It may be under way to begin with another statement.
    const ask = askForNow((told) => {
      now = told;
    });
    await this.attempt([ask], (statements, parts) => statements.carryOut(parts));
    return now!;
  }

  defer(part: Part): void {
    if (this.isOver) throw new QueryRunnerAlreadyReleasedError();
    const { check, meaning } = part;
    this.deferred.push({
      ...part,
      check:
        check &&
        ((rows, command) => {
          try {
            check(rows, command);
          } catch (error) {
            this.fault ??= error as Error;
            throw error;
          }
        }),
      meaning:
        meaning &&
        ((error) => {
          const meant = meaning(error);
          this.fault ??= meant;
          return meant;
        }),
    });
  }

  /**
   * Runs a stretch of the transaction, and undoes it if it throws. Once it has ended, nothing more gets through its
   * sender: work that nobody waits for any longer must not write beside what follows.
   */
  async undoably<T>(work: (sender: Sender) => Promise<T>): Promise<T> {
    const mark: Part = { ...SAVEPOINT };
    let isOver = false;
    const face = this.makeFace(() => isOver || this.isOver);
    const defer = (part: Part): void => {
      if (isOver) throw new QueryRunnerAlreadyReleasedError();
      this.defer(part);
    };
    this.deferred.push(mark);
    try {
      return await work({ manager: face.manager, defer });
    } catch (error) {
      isOver = true;
      await this.undo(mark);
      throw error;
    } finally {
      isOver = true;
      void face.release();
    }
  }

  /** True where the work has sent nothing, and nothing of it is left to wait for. Then it can send nothing any more. */
  endUnused(): boolean {
    if (this.begun || this.deferred.length > 0) return false;
    this.end();
    return true;
  }

  /** Throws what made it impossible to begin or to go on, also where the work has swallowed that. */
  async commit(): Promise<void> {
    this.end();
    if (!this.begun && this.deferred.length === 0) return;
    await this.attempt(joined(this.takeDeferred()), (statements, parts) =>
      statements.commit(parts),
    );
    markAsEnded((await this.begun!).runner);
  }

  /** Gives the connection back after a commit. */
  async release(): Promise<void> {
    await (await this.begun)?.runner.release();
  }

  /** Never throws. A connection that cannot be rolled back is closed. */
  async rollback(): Promise<void> {
    this.end();
    const begun = await this.begun?.catch(() => undefined);
    if (begun) await rollback(begun.runner);
  }

  /**
   * A statement that nobody waited for must not begin a transaction that nobody ends, nor run on the connection once
   * that belongs to somebody else.
   */
  private end(): void {
    this.isOver = true;
    void this.face?.release();
  }

  private async undo(mark: Part): Promise<void> {
    this.lastFound.forget();
    const notSent = this.deferred.indexOf(mark);
    if (notSent >= 0) {
      this.deferred.length = notSent;
      return;
    }
    this.deferred = [];
    await this.attempt([UNDO], (statements, parts) => statements.carryOut(parts));
  }

  // A runner of its own, whose savepoints the work may count as it likes: the one that commits always commits.
  private makeFace(isOver: () => boolean): QueryRunner {
    const face = this.newRunner();
    const connection = {
      query: (text: string, values?: readonly unknown[]) => this.query(isOver, text, values),
    };
    face.connect = async () => {
      if (isOver()) throw new QueryRunnerAlreadyReleasedError();
      this.begun ??= this.begin();
      const { runner, statements } = await this.begun;
      // TypeORM gives a runner back by itself when its connection dies.
      const isGone = runner.isReleased && statements.hasBegun;
      if (isOver() || isGone) throw new QueryRunnerAlreadyReleasedError();
      return connection;
    };
    return markAsBegun(face);
  }

  private async query(
    isOver: () => boolean,
    text: string,
    values?: readonly unknown[],
  ): Promise<QueryResult> {
    if (isOver()) throw new QueryRunnerAlreadyReleasedError();
    this.lastFound.forget();
    return await this.attempt(this.takeDeferred(), (statements, parts) => {
      if (isOver()) throw new QueryRunnerAlreadyReleasedError();
      return statements.query(parts, text, values);
    });
  }

  /**
   * The pool may hand out a connection whose server died meanwhile. As long as nothing has run, another one is as
   * good.
   */
  private async attempt<T>(
    parts: readonly Part[],
    send: (statements: Statements, parts: readonly Part[]) => Promise<T>,
  ): Promise<T> {
    const begun = (this.begun ??= this.begin());
    const { runner, statements } = await begun;
    try {
      return await send(statements, parts);
    } catch (error) {
      if (statements.hasBegun || !isConnectionError(error)) throw error;
      if (this.begun === begun) {
        if (this.isSecondTry) throw error;
        this.isSecondTry = true;
        this.begun = this.beginAgain(runner);
      }
      return await this.attempt(parts, send);
    }
  }

  private async beginAgain(runner: QueryRunner): Promise<Begun> {
    await rollback(runner);
    return await this.begin();
  }

  private takeDeferred(): readonly Part[] {
    const parts = this.deferred;
    this.deferred = [];
    return parts;
  }
}

/** Parts as they are before a commit: nothing is undone by itself any more, so no mark is needed to go back to. */
function joined(parts: readonly Part[]): Part[] {
  const lasting = parts.filter(({ name }) => name !== SAVEPOINT.name);
  return lasting.flatMap((part) => {
    const { together } = part;
    const alike = together ? lasting.filter((other) => other.together === together) : [part];
    // At the place of the first: what comes between may be about the same rows.
    if (alike[0] !== part) return [];
    return alike.length === 1 ? [part] : [{ ...part, ...together!(alike) }];
  });
}

/** TypeORM's own startTransaction would cost a round trip; these two fields are all that it would have set. */
export function markAsBegun(runner: QueryRunner): QueryRunner {
  return Object.assign(runner, { isTransactionActive: true, transactionDepth: 1 });
}

function markAsEnded(runner: QueryRunner): void {
  Object.assign(runner, { isTransactionActive: false, transactionDepth: 0 });
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
