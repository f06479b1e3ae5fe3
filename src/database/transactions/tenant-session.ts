import type { DataSource, EntityTarget, ObjectLiteral, Repository } from 'typeorm';
import { SessionQueryRunner } from '../driver/session-query-runner.js';
import type { PreparedStatement, Statement } from '../driver/statement.js';
import { assertOpen, type DeferredStatement, type StatementSender } from './statement-sender.js';

/** Reaches the data of one organization until its transaction or savepoint ends. Later, every use throws. */
export class TenantSession {
  private runner?: SessionQueryRunner;
  private isOver = false;
  private readonly isClosed = (): boolean => this.isOver;

  constructor(
    private readonly source: DataSource,
    private readonly sender: StatementSender,
  ) {}

  /** The transaction that the session belongs to. Its `version` tells whether a statement was sent since. */
  get transaction(): Pick<StatementSender, 'version'> {
    return this.sender;
  }

  /** The TypeORM repository of an entity. Features use it by default, with its query builder where that is needed. */
  repository<E extends ObjectLiteral>(entity: EntityTarget<E>): Repository<E> {
    assertOpen(this.isOver);
    this.runner ??= new SessionQueryRunner(this.source, (text, values = []) =>
      this.sender.query({ text, values }, this.isClosed),
    );
    return this.runner.manager.getRepository(entity);
  }

  /** For what a repository cannot express, and for statements of every call or run, which then are {@link prepared}. */
  async query<Row>(statement: string | Statement, values: readonly unknown[] = []): Promise<Row[]> {
    const { text, name } = typeof statement === 'string' ? { text: statement } : statement;
    const bound = { text, values, ...(name !== undefined && { name }) };
    const { rows } = await this.sender.query(bound, this.isClosed);
    return rows as Row[];
  }

  /** Queues it until the next statement or the commit. If it fails, the transaction fails with what `mapError` returns. */
  defer(
    { name, text }: PreparedStatement,
    values: readonly unknown[],
    mapError?: DeferredStatement['mapError'],
  ): void {
    assertOpen(this.isOver);
    this.sender.defer({ name, text, values, ...(mapError && { mapError }) });
  }

  /** The database's `now()` of the transaction, to the millisecond. Rows inserted with `now()` have this time. */
  async now(): Promise<Date> {
    if (this.sender.beganAt && !this.isOver) return this.sender.beganAt;
    const [row] = await this.query<{ now: Date }>('select now()::timestamptz(3) as now');
    return row!.now;
  }

  end(): void {
    this.isOver = true;
  }
}
