import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ApiError } from './api-error.js';
import { type Read, boolean, list, nullable, record, text } from './reader.js';
import { request } from './request.js';

const PATH = '/api/auth/sessions';
const QUERY_KEY = ['sessions'];
const readSessions = record({
  sessions: list(
    record({
      id: text,
      is_current: boolean,
      organization: record({ id: text, name: text }),
      started_at: text,
      last_seen_at: text,
      address: nullable(text),
      client: nullable(text),
    }),
  ),
});
export type SignedInBrowser = Read<typeof readSessions>['sessions'][number];

/** Lists the sessions of the signed-in person, the most recently used first. */
export function useSessions() {
  return useQuery<SignedInBrowser[], ApiError>({
    queryKey: QUERY_KEY,
    queryFn: async ({ signal }) => (await request('GET', PATH, readSessions, { signal })).sessions,
  });
}

/** Ends the session with the given id. Without an id, ends all sessions except the current one. */
export function useEndSession() {
  const client = useQueryClient();
  return useMutation<null, ApiError, string | undefined>({
    mutationFn: (id) =>
      request('DELETE', id === undefined ? PATH : `${PATH}/${encodeURIComponent(id)}`, () => null),
    onSettled: () => client.invalidateQueries({ queryKey: QUERY_KEY }),
  });
}

export interface PasswordChange {
  current_password: string;
  new_password: string;
}

/** Changes the password, which ends all other sessions of the person. */
export function useChangePassword() {
  const client = useQueryClient();
  return useMutation<null, ApiError, PasswordChange>({
    mutationFn: (body) => request('POST', '/api/auth/password', () => null, { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: QUERY_KEY }),
  });
}
