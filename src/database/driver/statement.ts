/** Describes an SQL statement. Each connection that sends a statement with a name keeps it prepared under that name. */
export interface Statement {
  readonly text: string;
  readonly name?: string;
}

/** Describes a statement that {@link prepared} has named. */
export interface PreparedStatement extends Statement {
  readonly name: string;
}

/** Describes a prepared statement for any number of rows. `toValues` makes its values from those of each row. */
export interface RowsStatement extends PreparedStatement {
  readonly toValues: (rows: readonly (readonly unknown[])[]) => readonly unknown[];
}

/** Describes a statement with its values, as a connection sends it. */
export interface BoundStatement extends Statement {
  readonly values: readonly unknown[];
  /** It is true for statements of the transaction itself, which may change settings of the session. */
  readonly isInternal?: true;
  /** Receives the columns of each row as text. A pipeline returns the result of its last statement only. */
  readonly onRow?: (columns: readonly (string | null)[]) => void;
}

const names = new Set<string>();

/**
 * Names a statement at module level, so that connections keep it prepared and PostgreSQL reuses its plan. Use it for
 * SQL that is sent often and has the same best plan for all values. Do not use it for searches, for `limit $1`, or for
 * `select *`, which fails when a migration adds a column. Throws when the name is taken.
 */
export function prepared(name: string, text: string): PreparedStatement {
  if (names.has(name)) throw new Error(`Another prepared statement is named ${name}.`);
  names.add(name);
  return { name: `switchboard_${name}`, text };
}

/** Returns the values of each column as a list, for statements that take a row as an element of each of their arrays. */
export function columnsOf(rows: readonly (readonly unknown[])[]): unknown[][] {
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column]));
}
