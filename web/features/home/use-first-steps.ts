import { useQuery } from '@tanstack/react-query';
import type { ApiError } from '../../api/api-error.js';
import { useApiKey } from '../../api/keys.js';
import { type Reader, json, list, record } from '../../api/reader.js';
import { toolQuery } from '../../api/tools.js';

export type StepName = 'key' | 'connect' | 'contact' | 'message' | 'run';

export interface Step {
  name: StepName;
  to: string;
  isDone: boolean;
}

/** Returns the first steps, and which of them are done. Changes in the organization tick them off. */
export function useFirstSteps(): { steps: Step[]; isPending: boolean; error: ApiError | null } {
  const key = useApiKey({ untilUsed: true });
  const contacts = useAny('search_contacts', { limit: 1 }, contactsReader);
  const messages = useAny('list_messages', { limit: 1 }, messagesReader);
  const runs = useAny('list_runs', { limit: 1, status: 'succeeded' }, runsReader);
  const isConnected = Boolean(key.data?.last_used_at);
  const queries = [key, contacts, messages, runs];
  return {
    steps: [
      { name: 'key', to: '/settings/developer', isDone: Boolean(key.data) },
      { name: 'connect', to: '/settings/developer', isDone: isConnected },
      { name: 'contact', to: '/contacts', isDone: contacts.data === true },
      { name: 'message', to: '/messages', isDone: messages.data === true },
      { name: 'run', to: '/runs', isDone: runs.data === true },
    ],
    isPending: queries.some(({ isPending }) => isPending),
    error: queries.find(({ error }) => error)?.error ?? null,
  };
}

const hasAny =
  (name: string): Reader<boolean> =>
  (value, path) =>
    (record({ [name]: list(json) })(value, path)[name]?.length ?? 0) > 0;
const contactsReader = hasAny('contacts');
const messagesReader = hasAny('messages');
const runsReader = hasAny('runs');

/** Returns true when a list has an entry. */
function useAny(tool: string, given: Record<string, unknown>, reader: Reader<boolean>) {
  const query = toolQuery(tool, given, reader);
  return useQuery<boolean, ApiError>({
    ...query,
    // Another page may read the whole of this list.
    queryKey: [...query.queryKey, 'any'],
  });
}
