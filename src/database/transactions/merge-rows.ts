import type { BoundStatement } from '../driver/statement.js';
import type { DeferredStatement } from './statement-sender.js';

const SAVEPOINT = 'switchboard_savepoint_';

export function savepoint(number: number): DeferredStatement {
  const name = `${SAVEPOINT}${number}`;
  return { name, text: `savepoint ${name}`, values: [], isInternal: true };
}

export function isSavepoint({ name }: BoundStatement): boolean {
  return name?.startsWith(SAVEPOINT) ?? false;
}

/**
 * Joins the rows of all statements with the same name into one statement, at the place of the first row. For a table
 * with triggers, checks and partial indexes, PostgreSQL takes as long to begin an INSERT as to insert one row. No row
 * moves across a savepoint, because a rollback to the savepoint must remove the rows that were added after it.
 */
export function mergeRows(statements: readonly DeferredStatement[]): DeferredStatement[] {
  const parts: { statement: DeferredStatement; rows: (readonly unknown[])[] }[] = [];
  let open = new Map<string, (readonly unknown[])[]>();
  for (const statement of statements) {
    const { name, values, toValues } = statement;
    const earlier = toValues && open.get(name);
    if (earlier) {
      earlier.push(values);
      continue;
    }
    const rows = [values];
    if (toValues) open.set(name, rows);
    else if (isSavepoint(statement)) open = new Map();
    parts.push({ statement, rows });
  }
  return parts.map(({ statement, rows }) =>
    statement.toValues ? { ...statement, values: statement.toValues(rows) } : statement,
  );
}
