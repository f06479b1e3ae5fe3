import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.js';

const MOST_RETRIES = 2;
const RETRY_PAUSE_MS = 800;
/** A longer wait is shown to the person instead. */
const LONGEST_WAIT_S = 5;

/**
 * Creates the cache of answers. Reading is repeated when the failure may pass. Changes are never repeated by themselves.
 * `onSessionEnded` is called when the service no longer knows the session.
 */
export function createQueryClient(onSessionEnded: () => void): QueryClient {
  const onError = (error: unknown): void => {
    if (error instanceof ApiError && error.status === 401 && error.code === 'unauthenticated') {
      onSessionEnded();
    }
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 5000,
        // A request that fails has a reason. Without this, the query would wait while the browser believes that it has
        // no network, and hide the reason.
        networkMode: 'always',
        retry: (count, error) =>
          count < MOST_RETRIES &&
          error instanceof ApiError &&
          error.isPassing &&
          (error.retryAfterSeconds ?? 0) <= LONGEST_WAIT_S,
        retryDelay: (count, error) =>
          error instanceof ApiError && error.retryAfterSeconds !== undefined
            ? error.retryAfterSeconds * 1000
            : RETRY_PAUSE_MS * 2 ** count,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
}
