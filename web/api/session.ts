import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.js';
import { removeDrafts } from './browser-drafts.js';
import { type Read, optional, record, text } from './reader.js';
import { request } from './request.js';

const readSession = record({
  user: record({ id: text, email: text, name: optional(text) }),
  organization: record({ id: text, name: text }),
});
export type Session = Read<typeof readSession>;

export interface Credentials {
  email: string;
  password: string;
}

export interface NewAccount extends Credentials {
  organization_name: string;
}

declare global {
  /** The request for the session that `public/start.js` began, until it is used. */
  var switchboardFirstSession: Promise<Response> | undefined;
}

export const SESSION_KEY = ['session'] as const;

/** Returns the session, or null when nobody is signed in. */
export async function fetchSession(signal?: AbortSignal): Promise<Session | null> {
  const early = globalThis.switchboardFirstSession;
  delete globalThis.switchboardFirstSession;
  try {
    const options = { early, ...(signal && { signal }) };
    return await request('GET', '/api/auth/session', readSession, options);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

export const sessionQuery = {
  queryKey: SESSION_KEY,
  queryFn: ({ signal }: { signal: AbortSignal }) => fetchSession(signal),
  staleTime: 60_000,
};

/**
 * Returns the session of the signed-in person. It is undefined before the first answer, null when nobody is signed in.
 */
export function useSession(): Session | null | undefined {
  return useQuery(sessionQuery).data;
}

export function useSignIn() {
  const client = useQueryClient();
  return useMutation<Session, ApiError, Credentials>({
    mutationFn: (body) => request('POST', '/api/auth/sign-in', readSession, { body }),
    onSuccess: (session) => startSession(client, session),
  });
}

export function useSignUp() {
  const client = useQueryClient();
  return useMutation<Session, ApiError, NewAccount>({
    mutationFn: (body) => request('POST', '/api/auth/sign-up', readSession, { body }),
    onSuccess: (session) => startSession(client, session),
  });
}

/**
 * Ends the session on the server, and removes the drafts of workflows from this browser. The caller then reloads the
 * page, which removes all loaded data.
 */
export function useSignOut() {
  return useMutation<null, ApiError>({
    mutationFn: () => request('POST', '/api/auth/sign-out', () => null, { body: {} }),
    onSuccess: removeDrafts,
  });
}

/** Changes the name of the person. An empty name removes it. */
export function useChangeName() {
  const client = useQueryClient();
  return useMutation<Session, ApiError, string>({
    mutationFn: (name) => request('PATCH', '/api/auth/profile', readSession, { body: { name } }),
    onSuccess: (session) => client.setQueryData(SESSION_KEY, session),
  });
}

type Client = ReturnType<typeof useQueryClient>;

function startSession(client: Client, session: Session): void {
  const before = client.getQueryData<Session | null>(SESSION_KEY);
  // The page must never show data that another person or organization has loaded.
  if (before?.organization.id !== session.organization.id) {
    client.removeQueries({ predicate: (query) => query.queryKey[0] !== SESSION_KEY[0] });
  }
  client.setQueryData(SESSION_KEY, session);
  void client.invalidateQueries({ predicate: (query) => query.queryKey[0] !== SESSION_KEY[0] });
}
