import type { QueryResult } from 'pg';

/** An SQL statement. If the statement has a name, each connection that sends it keeps it prepared under this name. */
export interface Statement {
  readonly text: string;
  readonly name?: string;
}

/** A statement that {@link prepared} has named. */
export interface PreparedStatement extends Statement {
  readonly name: string;
}

type Rows = readonly (readonly unknown[])[];

/**
 * A prepared statement for any number of rows. `toValues` makes the values of the statement from the values of all
 * rows.
 */
export interface RowsStatement extends PreparedStatement {
  readonly toValues: (rows: Rows) => readonly unknown[];
}

/** A statement with its values, as a connection sends it. */
export interface BoundStatement extends Statement {
  readonly values: readonly unknown[];
  /** True for statements of the transaction itself, which may change settings of the session. */
  readonly isInternal?: true;
  /** Receives the columns of each row as text. A pipeline returns the result of its last statement only. */
  readonly onRow?: (columns: readonly (string | null)[]) => void;
  /**
   * Receives the result after the statement has succeeded. Needed for a statement that is not the last statement of its
   * pipeline.
   */
  readonly onResult?: (result: QueryResult) => void;
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

/**
 * Names a statement as {@link prepared} does, for rows that all belong to one organization. The statement takes the
 * organization as `$1`, and the other values of the rows as one array for each column.
 */
export function preparedRows(name: string, text: string): RowsStatement {
  return { ...prepared(name, text), toValues };
}

/** Returns the values of a {@link preparedRows} statement. */
function toValues(rows: Rows): unknown[] {
  const [organizationId, ...others] = rows[0]!;
  return [organizationId, ...others.map((_, column) => rows.map((row) => row[column + 1]))];
}

/**
 * Returns SQL for an array whose size the planner cannot see. Otherwise the planner would plan the statement again for
 * each size, which takes longer than executing the statement.
 */
export function arrayOfUnknownSize(array: string): string {
  return `(select ${array})::${array.split('::')[1]}`;
}
