import type { TestOrganization } from '../support/organization.js';
import { type TestImport, upload } from '../support/uploaded-import.js';
import { waitFor } from '../support/wait-for.js';

/** Starts an import and returns it when it has ended. */
export async function startAndWait(
  organization: TestOrganization,
  importId: string,
  options: object = {},
): Promise<TestImport> {
  const { error } = await organization.call('start_import', { import_id: importId, ...options });
  if (error) throw new Error(`${error.message} ${JSON.stringify(error.details)}`);
  return await endOf(organization, importId);
}

export function endOf(organization: TestOrganization, importId: string): Promise<TestImport> {
  return waitFor(async () => {
    const { value } = await organization.call<{ import: TestImport }>('get_import', {
      import_id: importId,
    });
    return value.import.status === 'running' ? undefined : value.import;
  });
}

/** Uploads a file, imports it, and returns the import when it has ended. */
export async function importFile(
  organization: TestOrganization,
  file: string | Uint8Array,
  options: object = {},
): Promise<TestImport> {
  return await startAndWait(organization, (await upload(organization, file)).id, options);
}

/** Returns the lines of the rows that were not imported, without the names of the columns. */
export async function rejectedRows(
  organization: TestOrganization,
  importId: string,
): Promise<string[]> {
  const response = await organization.fetch(`/api/imports/${importId}/rejected.csv`);
  if (response.status !== 200) throw new Error(await response.text());
  return (await response.text()).trimEnd().split('\r\n').slice(1);
}

export async function contactsOf(
  organization: TestOrganization,
  given: object = {},
): Promise<Record<string, unknown>[]> {
  const { value } = await organization.call<{ contacts: Record<string, unknown>[] }>(
    'search_contacts',
    { limit: 100, sort: 'created_at', ...given },
  );
  return value.contacts;
}

export const NO_COUNTS = {
  created: 0,
  updated: 0,
  unchanged: 0,
  skipped: 0,
  duplicate: 0,
  failed: 0,
};
