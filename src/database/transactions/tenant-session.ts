import type { DataSource, EntityTarget, ObjectLiteral, Repository } from 'typeorm';
import { SessionQueryRunner } from '../driver/session-query-runner.js';
import type { PreparedStatement, RowsStatement, Statement } from '../driver/statement.js';
import { assertOpen, type DeferredStatement, type StatementSender } from './statement-sender.js';

/** Reads and writes the data of one organization until its transaction or savepoint ends. Later, every use throws. */
export class TenantSession {
  private runner?: SessionQueryRunner;
  private isOver = false;
  private readonly isClosed = (): boolean => this.isOver;

  constructor(
    private readonly source: DataSource,
    private readonly sender: StatementSender,
    /** With `readsOnly`, statements may be sent outside of the transaction. The server then refuses writes. */
    private readonly readsOnly = false,
  ) {}

  /** Returns the transaction of the session. Its `version` changes when a statement is sent. */
  get transaction(): Pick<StatementSender, 'version'> {
    return this.sender;
  }

  /** Returns the TypeORM repository of an entity. Features use it by default, with its query builder where necessary. */
  repository<E extends ObjectLiteral>(entity: EntityTarget<E>): Repository<E> {
    assertOpen(this.isOver);
    this.runner ??= new SessionQueryRunner(this.source, (text, values = []) =>
      this.sender.query({ text, values }, this.isClosed, this.readsOnly),
    );
    return this.runner.manager.getRepository(entity);
  }

  /**
   * Sends a statement and returns its rows. Use it for SQL that a repository cannot express, and for {@link prepared}
   * statements that every call or run sends.
   */
  async query<Row>(statement: string | Statement, values: readonly unknown[] = []): Promise<Row[]> {
    const { text, name } = typeof statement === 'string' ? { text: statement } : statement;
    const bound = { text, values, ...(name !== undefined && { name }) };
    const { rows } = await this.sender.query(bound, this.isClosed, this.readsOnly);
    return rows as Row[];
  }

  /**
   * Queues a statement until the next statement or commit. If the statement fails, the transaction fails with the
   * mapped error. For a {@link RowsStatement}, `values` has the values of one row. The row may be written before
   * statements that were queued earlier.
   */
  defer(
    { name, text, toValues }: PreparedStatement & Partial<RowsStatement>,
    values: readonly unknown[],
    mapError?: DeferredStatement['mapError'],
  ): void {
    assertOpen(this.isOver);
    this.sender.defer({
      name,
      text,
      values,
      ...(toValues && { toValues }),
      ...(mapError && { mapError }),
    });
  }

  /**
   * Returns the database's `now()` in the transaction, to the millisecond. A transaction that shares its commit has the
   * time of its first read.
   */
  async now(): Promise<Date> {
    if (this.sender.beganAt && !this.isOver) return this.sender.beganAt;
    const [row] = await this.query<{ now: Date }>('select now()::timestamptz(3) as now');
    return row!.now;
  }

  end(): void {
    this.isOver = true;
  }
}
