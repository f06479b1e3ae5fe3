import { useQuery } from '@tanstack/react-query';
import type { ApiError } from '../../api/api-error.js';
import { useApiKey } from '../../api/keys.js';
import { CONTACTS_QUERY, MESSAGES_QUERY, RUNS_QUERY } from './first-steps.queries.js';

export type StepName = 'key' | 'connect' | 'contact' | 'message' | 'run';

export interface Step {
  name: StepName;
  to: string;
  isDone: boolean;
}

/** Returns the first steps, and which of them are done. Changes in the organization mark them as done. */
export function useFirstSteps(): { steps: Step[]; isPending: boolean; error: ApiError | null } {
  const key = useApiKey({ untilUsed: true });
  const contacts = useQuery<boolean, ApiError>(CONTACTS_QUERY);
  const messages = useQuery<boolean, ApiError>(MESSAGES_QUERY);
  const runs = useQuery<boolean, ApiError>(RUNS_QUERY);
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
