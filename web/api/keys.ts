import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ApiError } from './api-error.js';
import { type Read, boolean, list, nullable, record, text } from './reader.js';
import { request } from './request.js';

const PATH = '/api/mcp/keys';
const QUERY_KEY = ['key'];
const FIRST_USE_MS = 5000;
const readKey = record({
  key: nullable(
    record({
      prefix: text,
      last_four: text,
      created_at: text,
      created_by: nullable(text),
      expires_at: nullable(text),
      read_only: boolean,
      tools: nullable(list(text)),
      last_used_at: nullable(text),
      last_used_address: nullable(text),
      last_used_client: nullable(text),
    }),
  ),
});
export type ApiKey = NonNullable<Read<typeof readKey>['key']>;
const readNewKey = record({ api_key: text });

export const apiKeyQuery = {
  queryKey: QUERY_KEY,
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (await request('GET', PATH, readKey, { signal })).key,
};

/**
 * Returns the API key of the organization, or null when there is none. With `untilUsed`, the key is read repeatedly
 * until its first use, because no change is published for calls that only read.
 */
export function useApiKey({ untilUsed = false } = {}) {
  return useQuery<ApiKey | null, ApiError>({
    ...apiKeyQuery,
    refetchInterval: ({ state }) =>
      untilUsed && state.data && state.data.last_used_at === null ? FIRST_USE_MS : false,
  });
}

/** Describes what a new key may call, and when it expires. Without options, it may call every tool forever. */
export interface KeyOptions {
  expires_in_days?: number;
  read_only?: boolean;
  tools?: readonly string[];
}

/** Creates a key and revokes the previous one. Returns the key, which is never shown again. */
export function useCreateApiKey() {
  const client = useQueryClient();
  return useMutation<string, ApiError, KeyOptions>({
    mutationFn: async (body) => (await request('POST', PATH, readNewKey, { body })).api_key,
    onSuccess: () => client.invalidateQueries({ queryKey: QUERY_KEY }),
  });
}

export function useRevokeApiKey() {
  const client = useQueryClient();
  return useMutation<null, ApiError>({
    mutationFn: () => request('DELETE', PATH, () => null),
    onSuccess: () => client.invalidateQueries({ queryKey: QUERY_KEY }),
  });
}
