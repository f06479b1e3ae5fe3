import type { TestOrganization } from './organization.js';

/** An import in the form in which the API returns it. */
export interface TestImport {
  id: string;
  name: string;
  status: string;
  encoding: string;
  delimiter: string;
  columns: string[];
  suggested_mapping: Record<string, string>;
  preview: { cells: string[] }[];
  rejected: { row: number; reasons: string }[];
  rows: number;
  processed: number;
  counts: Record<'created' | 'updated' | 'unchanged' | 'skipped' | 'duplicate' | 'failed', number>;
  error: string | null;
}

/** Uploads a file with one contact and returns the id of the import. */
export async function uploadedImport(organization: TestOrganization): Promise<string> {
  return (await upload(organization, 'email\nimported@example.com\n')).id;
}

/** Uploads a file as the signed-in owner. Throws unless the file is accepted. */
export async function upload(
  organization: TestOrganization,
  file: string | Uint8Array,
  query = '',
): Promise<TestImport> {
  const response = await tryUpload(organization, file, query);
  const body = (await response.json()) as { import: TestImport };
  if (response.status !== 201) throw new Error(JSON.stringify(body));
  return body.import;
}

export function tryUpload(
  organization: TestOrganization,
  file: string | Uint8Array,
  query = '',
  headers: Record<string, string> = {},
): Promise<Response> {
  return organization.fetch(`/api/imports${query}`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/csv', ...headers },
    body: file,
  });
}
