import pg, { type Connection, type QueryResult, type Submittable } from 'pg';
import { toError } from '../../errors/app-error.js';

/** A statement whose result nobody waits for. It is kept prepared under its name. */
export interface Part {
  readonly name: string;
  readonly text: string;
  readonly values: readonly (string | number | Buffer | Date | null)[];
  /** Throws what is wrong with that number, or with what was carried out: `ROLLBACK`, say, in place of `COMMIT`. */
  readonly check?: (rows: number, command: string) => void;
  /** One statement for several that have the same function here, for before a commit it need not be one for each. */
  readonly together?: (parts: readonly Part[]) => Pick<Part, 'name' | 'text' | 'values'>;
  /** Is given each of its rows, as the server writes it. */
  readonly take?: (columns: readonly (string | null)[]) => void;
  /** What its failure means, if that is more than it says. */
  readonly meaning?: (error: Error) => Error | undefined;
}

/** A statement whose result is wanted; with a name it is kept prepared. */
export interface Last {
  name?: string;
  text: string;
  values: unknown[];
}

/** What pg's `Query` does with the messages of the server. Its types leave that out. */
interface Receiver extends Submittable {
  _result: object;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleError(error: unknown, connection: Connection): void;
  handleReadyForQuery(connection: Connection): void;
}

/** Names of the statements that a connection has prepared. */
interface Names {
  readonly known: Set<string>;
  /** Something before them failed, so nobody knows whether they are. */
  readonly doubtful: Set<string>;
}

const namesOf = new WeakMap<Connection, Names>();

/**
 * Several statements in one way to the server and back, of which only the last has a result to wait for. One that fails
 * keeps those after it from being carried out.
 */
export class PipelinedQuery implements Submittable {
  readonly done: Promise<QueryResult | undefined>;
  /** How many of the parts have been carried out. */
  completed = 0;
  private readonly last: Receiver | undefined;
  /** Prepared with this very query, if it succeeds. */
  private readonly fresh: string[] = [];
  private connection?: Connection;
  private fault?: Error;
  private resolve: (result: QueryResult | undefined) => void;
  private reject: (error: Error) => void;

  constructor(
    private readonly parts: readonly Part[],
    private readonly lastStatement?: Last,
  ) {
    this.done = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.last =
      lastStatement && (new pg.Query(lastStatement, this.take.bind(this)) as unknown as Receiver);
  }

  /** Whether all that came before the last statement has been carried out, and was as it should be. */
  get reachedLast(): boolean {
    return this.completed === this.parts.length && !this.fault;
  }

  /** Whether any of it has been given to the connection. */
  get wasSent(): boolean {
    return this.connection !== undefined;
  }

  /** pg sets the parsers of the client's types on it. */
  get _result(): object | undefined {
    return this.last?._result;
  }

  submit(connection: Connection): Error | undefined {
    this.connection = connection;
    connection.stream.cork();
    try {
      for (const part of this.parts) this.execute(connection, part);
      this.prepareLast(connection);
      if (this.last) this.last.submit(connection);
      else connection.sync();
    } finally {
      connection.stream.uncork();
    }
    return undefined;
  }

  handleRowDescription(message: unknown): void {
    this.last?.handleRowDescription(message);
  }

  handleDataRow(message: { fields: (string | null)[] }): void {
    if (this.completed === this.parts.length) this.last?.handleDataRow(message);
    else this.parts[this.completed]!.take?.(message.fields);
  }

  handleCommandComplete(message: { text: string }, connection: Connection): void {
    if (this.completed === this.parts.length) {
      this.last?.handleCommandComplete(message, connection);
      return;
    }
    try {
      // `UPDATE 1`, `INSERT 0 1`, `COMMIT`
      const rows = Number(/\d+$/.exec(message.text)?.[0] ?? 0);
      this.parts[this.completed]!.check?.(rows, message.text);
    } catch (error) {
      this.fault ??= toError(error);
    }
    this.completed += 1;
  }

  handleError(error: unknown, connection: Connection): void {
    this.forget();
    if (this.last && this.reachedLast) {
      this.last.handleError(error, connection);
      return;
    }
    const failure = toError(error);
    this.reject(this.fault ?? this.parts[this.completed]?.meaning?.(failure) ?? failure);
  }

  handleReadyForQuery(connection: Connection): void {
    if (this.fault) this.reject(this.fault);
    else if (this.last) this.last.handleReadyForQuery(connection);
    else this.resolve(undefined);
  }

  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}

  private take(error: Error | undefined, result: unknown): void {
    if (error) this.reject(error);
    else this.resolve(result as QueryResult);
  }

  private execute(connection: Connection, { name, text, values }: Part): void {
    const names = bookOf(connection);
    if (!names.known.has(name)) {
      this.replaceDoubtful(connection, name);
      connection.parse({ name, text, types: [] }, true);
      names.known.add(name);
      this.fresh.push(name);
    }
    connection.bind({ statement: name, values: values.map(written) }, true);
    connection.execute({}, true);
  }

  /** pg itself sends the last one, and remembers what it has prepared. */
  private prepareLast(connection: Connection): void {
    const name = this.lastStatement?.name;
    if (name === undefined || submitted(connection)[name] !== undefined) return;
    this.replaceDoubtful(connection, name);
    this.fresh.push(name);
  }

  private replaceDoubtful(connection: Connection, name: string): void {
    // No error if it is not there.
    if (bookOf(connection).doubtful.delete(name)) connection.close({ type: 'S', name }, true);
  }

  private forget(): void {
    const { connection } = this;
    if (!connection) return;
    const { known, doubtful } = bookOf(connection);
    for (const name of this.fresh) {
      known.delete(name);
      delete submitted(connection)[name];
      doubtful.add(name);
    }
  }
}

function bookOf(connection: Connection): Names {
  const names = namesOf.get(connection) ?? { known: new Set(), doubtful: new Set() };
  namesOf.set(connection, names);
  return names;
}

function submitted(connection: Connection): Record<string, string | undefined> {
  return (connection as unknown as { submittedNamedStatements: Record<string, string | undefined> })
    .submittedNamedStatements;
}

function written(value: Part['values'][number]): string | Buffer | null {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'number' ? `${value}` : value;
}
