import pg, { type ClientBase, type Connection, type QueryResult, type Submittable } from 'pg';
import { toError } from '../../errors/app-error.js';
import { type AnswerMemory, memoryOf, rowBytesOf } from './answer-memory.js';
import type { BoundStatement } from './statement.js';

/** The type declarations of pg leave out these parts. pg-cursor and pg-query-stream use them too. */
interface ResultBuilder extends QueryResult {
  addFields(fields: unknown): void;
  parseRow(columns: readonly (string | null)[]): object;
  addRow(row: object): void;
  addCommandComplete(message: unknown): void;
}
type WireValue = Buffer | string | null;
const { prepareValue } = (
  pg as unknown as { utils: { prepareValue: (value: unknown) => WireValue } }
).utils;
const Result = pg.Result as unknown as new (rowMode?: string, types?: object) => ResultBuilder;

const preparedNames = new WeakMap<Connection, Set<string>>();

/**
 * Sends statements in one round trip. The statements share one Sync message, so after an error PostgreSQL skips all
 * later statements. Without `begin`, the statements are one implicit transaction, which PostgreSQL commits when all of
 * them have succeeded.
 */
export class Pipeline implements Submittable {
  readonly done: Promise<QueryResult>;
  /** The number of statements that succeeded. */
  completed = 0;
  private readonly values: WireValue[][];
  /** The result that is being received. It belongs to the next statement whose result the caller wants. */
  private result: ResultBuilder;
  /** The statements that this pipeline prepares. */
  private readonly newNames: string[] = [];
  private connection?: Connection;
  private rowError?: Error;
  private memory?: AnswerMemory;
  /** The memory of each row of the current result, in bytes, without the characters of its values. */
  private rowBytes = 0;
  private resolve: (result: QueryResult) => void;
  private reject: (error: Error) => void;

  constructor(private readonly statements: readonly BoundStatement[]) {
    this.values = statements.map(({ values }) => values.map((value) => prepareValue(value)));
    this.done = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  /** True when the connection may have received the statements. */
  get wasSent(): boolean {
    return this.connection !== undefined;
  }

  submit(connection: Connection): Error | undefined {
    this.connection = connection;
    this.memory = memoryOf(connection);
    this.result = this.newResult();
    connection.stream.cork();
    try {
      for (const index of this.statements.keys()) this.write(connection, index);
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
    return undefined;
  }

  handleRowDescription({ fields }: { fields: { dataTypeID: number }[] }): void {
    if (this.memory) this.rowBytes = rowBytesOf(fields);
    this.result.addFields(fields);
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const statement = this.statements[this.completed]!;
    if (!this.returnsResult(statement)) {
      statement.onRow?.(fields);
      return;
    }
    try {
      this.memory?.hold(this.rowBytes);
      this.result.addRow(this.result.parseRow(fields));
    } catch (error) {
      this.rowError = toError(error);
    }
  }

  handleCommandComplete(message: unknown): void {
    const statement = this.statements[this.completed]!;
    this.completed += 1;
    if (!this.returnsResult(statement)) return;
    this.result.addCommandComplete(message);
    if (!this.rowError) statement.onResult?.(this.result);
    if (this.completed < this.statements.length) this.result = this.newResult();
  }

  handleEmptyQuery(): void {
    this.completed += 1;
  }

  handleError(error: unknown): void {
    if (this.connection) {
      const names = namesOf(this.connection);
      for (const name of this.newNames) names.delete(name);
    }
    this.reject(toError(error));
  }

  handleReadyForQuery(): void {
    if (this.rowError) this.reject(this.rowError);
    else this.resolve(this.result);
  }

  handlePortalSuspended(): void {}
  handleCopyData(): void {}

  /** Refuses COPY FROM STDIN. PostgreSQL waits for data and drops the first Sync, so this method sends a second one. */
  handleCopyInResponse(connection: Connection & { sendCopyFail(reason: string): void }): void {
    connection.sendCopyFail('There is no data to copy.');
    connection.sync();
  }

  /** Returns a result that uses the type parsers of the client. These parsers count the memory of the values. */
  private newResult(): ResultBuilder {
    return new Result(undefined, this.memory?.client);
  }

  private returnsResult(statement: BoundStatement): boolean {
    return statement.onResult !== undefined || statement === this.statements.at(-1);
  }

  private write(connection: Connection, index: number): void {
    const statement = this.statements[index]!;
    const { name = '', text } = statement;
    const names = namesOf(connection);
    if (name === '' || !names.has(name)) {
      // A failed pipeline may have prepared the statement. Closing a statement that does not exist is not an error.
      if (name !== '') connection.close({ type: 'S', name }, true);
      connection.parse({ name, text, types: [] }, true);
      if (name !== '') {
        names.add(name);
        this.newNames.push(name);
      }
    }
    connection.bind({ statement: name, values: this.values[index]! }, true);
    if (this.returnsResult(statement)) connection.describe({ type: 'P', name: '' }, true);
    connection.execute({}, true);
  }
}

/**
 * Makes later pipelines prepare their statements again. Call it after the server has discarded all prepared statements.
 */
export function forgetPreparedStatements(client: ClientBase): void {
  preparedNames.delete((client as ClientBase & { connection: Connection }).connection);
}

function namesOf(connection: Connection): Set<string> {
  const names = preparedNames.get(connection) ?? new Set();
  preparedNames.set(connection, names);
  return names;
}
