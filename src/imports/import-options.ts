import type { Identifier } from '../contacts/contact-statements.js';

/** The field of a contact for each name of a column. */
export type ColumnMapping = Readonly<Record<string, string>>;

/** The settings by which the rows of a file become contacts. */
export interface ImportOptions {
  readonly mapping: ColumnMapping;
  readonly match_by: Identifier;
  readonly on_existing: 'update' | 'skip';
  readonly dry_run: boolean;
  readonly start_workflows: boolean;
  /** The surface of the call that started the import. */
  readonly source: string;
}

export const MOST_COLUMNS = 500;
export const MOST_ROW_BYTES = 256 * 1024;
