import { AppError } from '../errors/app-error.js';
import { safeName } from '../files/file-name.js';
import type { UploadFacts } from './import-uploads.service.js';
import { DELIMITERS } from './read-rows.js';

/** The accepted media types of a file with contacts. */
export const CSV_TYPES: readonly string[] = [
  'text/csv',
  'text/plain',
  'text/tab-separated-values',
  'application/csv',
  'application/octet-stream',
  // Browsers on Windows send CSV files with this type.
  'application/vnd.ms-excel',
];
const TAB = 'tab';
const CHOSEN_ENCODINGS = ['utf-8', 'windows-1252'] as const;

/** Returns the options in the query of an upload. Throws `invalid_arguments`. */
export function parseUploadQuery(
  query: Record<string, unknown>,
): Omit<UploadFacts, 'name'> & { name: string | undefined } {
  const { name, delimiter, encoding } = query;
  const character = delimiter === TAB ? '\t' : delimiter;
  const delimiters: readonly unknown[] = DELIMITERS;
  if (character !== undefined && !delimiters.includes(character)) {
    throw AppError.invalidField('delimiter', `must be one of , ; | and ${TAB}`);
  }
  const chosen = CHOSEN_ENCODINGS.find((one) => one === encoding);
  if (encoding !== undefined && chosen === undefined) {
    throw AppError.invalidField('encoding', `must be one of ${CHOSEN_ENCODINGS.join(', ')}`);
  }
  return {
    name: typeof name === 'string' ? safeName(name) || undefined : undefined,
    delimiter: character as string | undefined,
    encoding: chosen,
  };
}
