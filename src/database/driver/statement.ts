/** One SQL statement. One with a name is kept prepared, under that name, by each connection that sends it. */
export interface Statement {
  readonly text: string;
  readonly name?: string;
}

/** A statement that {@link prepared} has named. */
export interface PreparedStatement extends Statement {
  readonly name: string;
}

/** A statement with its values, as a connection sends it. */
export interface BoundStatement extends Statement {
  readonly values: readonly unknown[];
  /** True for statements of the transaction itself, which may set what belongs to the session. */
  readonly isInternal?: true;
  /** Receives the columns of each row as text. Only the last statement of a pipeline has a result of its own. */
  readonly onRow?: (columns: readonly (string | null)[]) => void;
}

const names = new Set<string>();

/**
 * Names a statement at module level, so that connections keep it prepared and PostgreSQL reuses its plan. Right for SQL
 * that is sent often and whose best plan is the same for all values. Wrong for searches, for `limit $1`, and for
 * `select *`, which fails when a migration adds a column. Throws when the name is taken.
 */
export function prepared(name: string, text: string): PreparedStatement {
  if (names.has(name)) throw new Error(`Another prepared statement is named ${name}.`);
  names.add(name);
  return { name: `switchboard_${name}`, text };
}
