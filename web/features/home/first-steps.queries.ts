import type { QueryClient } from '@tanstack/react-query';
import { apiKeyQuery } from '../../api/keys.js';
import { type Reader, json, list, record } from '../../api/reader.js';
import { toolQuery } from '../../api/tools.js';

export const CONTACTS_QUERY = anyQuery('search_contacts', 'contacts', { limit: 1 });
export const MESSAGES_QUERY = anyQuery('list_messages', 'messages', { limit: 1 });
export const RUNS_QUERY = anyQuery('list_runs', 'runs', { limit: 1, status: 'succeeded' });

/** Requests the data of the first steps before the page is rendered. The answers arrive while the page is rendered. */
export function prefetchFirstSteps(client: QueryClient): void {
  void client.prefetchQuery(apiKeyQuery);
  for (const query of [CONTACTS_QUERY, MESSAGES_QUERY, RUNS_QUERY])
    void client.prefetchQuery(query);
}

/** Returns a query whose answer is true when a list has an entry. */
function anyQuery(tool: string, member: string, given: Record<string, unknown>) {
  return toolQuery(tool, given, hasAny(member));
}

function hasAny(member: string): Reader<boolean> {
  return (value, path) => (record({ [member]: list(json) })(value, path)[member]?.length ?? 0) > 0;
}
