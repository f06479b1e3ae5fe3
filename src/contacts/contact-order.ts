import { AppError } from '../errors/app-error.js';
import { readCursor, writeCursor } from '../paging/paging.js';
import type { Condition } from './contact-condition.js';
import { parseDayOrTime } from './contact-filter.js';

const COLUMNS = {
  created_at: 'createdAt',
  updated_at: 'updatedAt',
  email: 'email',
  external_id: 'externalId',
  first_name: 'firstName',
  last_name: 'lastName',
} as const;

type SortField = keyof typeof COLUMNS;
export type ContactSort = SortField | `-${SortField}`;

export const CONTACT_SORTS = Object.keys(COLUMNS).flatMap((field) => [
  field,
  `-${field}`,
]) as ContactSort[];

/** The position of the last contact of a page: its value in the sort column, or null, and its id. */
export interface Position {
  value: string | null;
  id: string;
}

/** Sorts contacts by a column. Contacts without a value come last, and contacts with equal values are sorted by id. */
export class ContactOrder {
  readonly column: (typeof COLUMNS)[SortField];
  readonly direction: 'ASC' | 'DESC';
  private readonly isTime: boolean;

  constructor(readonly sort: ContactSort) {
    const field = sort.replace('-', '') as SortField;
    this.column = COLUMNS[field];
    this.direction = sort.startsWith('-') ? 'DESC' : 'ASC';
    this.isTime = field === 'created_at' || field === 'updated_at';
  }

  // NULLS LAST would keep PostgreSQL from reading the index of a time column backwards. Times are never null.
  get nulls(): 'NULLS LAST' | undefined {
    return this.isTime ? undefined : 'NULLS LAST';
  }

  positionOf(contact: { id: string } & Record<string, unknown>): Position {
    const value = contact[this.column] as Date | string | null;
    return { value: value instanceof Date ? value.toISOString() : value, id: contact.id };
  }

  /** Returns the condition that matches the contacts after `position`. */
  after({ value, id }: Position): Condition {
    const column = `contact.${this.column}`;
    const beyond = this.direction === 'ASC' ? '>' : '<';
    const parameters = { afterId: id, afterValue: this.isTime ? new Date(String(value)) : value };
    if (this.isTime) {
      return { sql: `(${column}, contact.id) ${beyond} (:afterValue, :afterId)`, parameters };
    }
    if (value === null) {
      return { sql: `${column} is null and contact.id ${beyond} :afterId`, parameters };
    }
    const equal = `${column} = :afterValue and contact.id ${beyond} :afterId`;
    return {
      sql: `(${column} ${beyond} :afterValue or (${equal}) or ${column} is null)`,
      parameters,
    };
  }

  /** Returns an opaque cursor for `position`. The cursor is valid only for this order and this search. */
  encode(position: Position, search: string): string {
    return writeCursor([search, this.sort, position.value, position.id]);
  }

  /**
   * Returns the position in `cursor`. Throws `invalid_arguments` for a cursor that `encode` has not made for this order
   * and this search.
   */
  decode(cursor: string, search: string): Position {
    const parts = readCursor(cursor);
    const [cursorSearch, sort, value, id] = parts;
    const isPosition =
      parts.length === 4 &&
      isPlainText(id) &&
      (this.isTime
        ? isPlainText(value) && parseDayOrTime(value)
        : value === null || isPlainText(value));
    if (!isPosition || cursorSearch !== search || sort !== this.sort) {
      throw AppError.invalid('This cursor does not belong to this search.', [
        {
          path: 'cursor',
          message: 'must be a next_cursor of a search with the same query, filters and sort',
        },
      ]);
    }
    return { value: value as string | null, id };
  }
}

// Argument validation does not look inside cursors, and any caller can forge one.
function isPlainText(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= 1024 &&
    !value.includes('\0') &&
    value.isWellFormed()
  );
}
