import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ApiError } from './api-error.js';
import { type Read, list, number, nullable, record, text, dictionary, boolean } from './reader.js';
import { request } from './request.js';
import { toolQuery } from './tools.js';

const REFETCH_MS = 1000;

const outline = {
  id: text,
  name: text,
  status: text,
  rows: number,
  processed: number,
  counts: record({
    created: number,
    updated: number,
    unchanged: number,
    skipped: number,
    duplicate: number,
    failed: number,
  }),
  check_only: boolean,
  error: nullable(text),
  created_at: text,
};
/** Reads an import as an entry of a list. */
export const importOutline = record(outline);
export type ImportOutline = Read<typeof importOutline>;

export const importResult = record({
  import: record({
    ...outline,
    encoding: text,
    delimiter: text,
    columns: list(text),
    suggested_mapping: dictionary(text),
    mapping: nullable(dictionary(text)),
    preview: list(record({ cells: list(text) })),
    rejected: list(record({ row: number, reasons: text })),
  }),
});
export type ContactImport = Read<typeof importResult>['import'];

/** Reads an import, repeatedly while it runs. */
export function useImport(importId: string) {
  return useQuery<Read<typeof importResult>, ApiError>({
    ...toolQuery('get_import', { import_id: importId }, importResult),
    refetchInterval: ({ state }) => (state.data?.import.status === 'running' ? REFETCH_MS : false),
  });
}

/** Uploads a file with contacts. The result is the new import. */
export function useUpload() {
  const client = useQueryClient();
  return useMutation<Read<typeof importResult>, ApiError, File>({
    mutationFn: (file) =>
      request('POST', `/api/imports?name=${encodeURIComponent(file.name)}`, importResult, {
        // Sets the type, because a browser derives it from the extension of the file, and the service refuses unknown
        // types.
        file: file.slice(0, file.size, 'text/csv'),
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['tool', 'list_imports'] }),
  });
}

/** Returns the address from which a browser downloads the rows that were not imported. */
export function rejectedRowsPath(importId: string): string {
  return `/api/imports/${encodeURIComponent(importId)}/rejected.csv`;
}

export const CONTACTS_PATH = '/api/contacts/export.csv';
