import type { Connection, Submittable } from 'pg';
import { toError } from '../errors/app-error.js';

const BEGIN = {
  write: { name: 'switchboard_begin', text: 'begin' },
  read: { name: 'switchboard_begin_read_only', text: 'begin read only' },
  dry: { name: 'switchboard_begin', text: 'begin' },
};
// Whether it is a dry run is said in every transaction: SQL of an earlier one may have set it for the whole session.
const SET_CONTEXT = {
  name: 'switchboard_context',
  text: `select set_config('switchboard.context', $1, true), set_config('switchboard.dry_run', $2, true)`,
};

/** `dry`: the changes of the transaction are noted, for it is going to be rolled back. */
export type TransactionMode = 'read' | 'write' | 'dry';

// Statements already prepared, per connection. Kept apart from pg's own book-keeping, which knows one statement a query.
const prepared = new WeakMap<Connection, Set<string>>();

/**
 * Begins a transaction and binds it to an organization in one round trip: two extended-protocol statements before
 * one Sync. The context is a bound parameter, never query text, because every session of a role can read the text
 * of its sessions' queries in pg_stat_activity, and a context seen there could be used again.
 */
export class BeginTenant implements Submittable {
  readonly done: Promise<void>;
  private resolve: () => void;
  private reject: (error: Error) => void;
  private failed = false;

  constructor(
    private readonly context: string,
    private readonly mode: TransactionMode,
  ) {
    this.done = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  submit(connection: Connection): void {
    connection.stream.cork();
    this.execute(connection, BEGIN[this.mode], []);
    this.execute(connection, SET_CONTEXT, [this.context, this.mode === 'dry' ? 'on' : 'off']);
    connection.sync();
    connection.stream.uncork();
  }

  handleError(error: Error): void {
    this.failed = true;
    this.reject(toError(error));
  }

  handleReadyForQuery(): void {
    if (!this.failed) this.resolve();
  }

  handleCommandComplete(): void {}
  handleDataRow(): void {}
  handleRowDescription(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}

  private execute(
    connection: Connection,
    statement: { name: string; text: string },
    values: string[],
  ): void {
    const known = prepared.get(connection) ?? new Set<string>();
    prepared.set(connection, known);
    if (!known.has(statement.name)) {
      connection.parse({ ...statement, types: [] }, true);
      known.add(statement.name);
    }
    connection.bind({ statement: statement.name, values }, true);
    connection.execute({}, true);
  }
}
