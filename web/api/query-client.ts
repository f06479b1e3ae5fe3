import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.js';

const MOST_RETRIES = 2;
const RETRY_PAUSE_MS = 800;
/** The longest Retry-After, in seconds, after which a request is repeated. A longer time is shown to the person. */
const LONGEST_WAIT_S = 5;

/**
 * Creates the cache of answers. A failed read is repeated when the failure may be temporary. A failed change is never
 * repeated automatically. `onSessionEnded` is called when the service no longer knows the session.
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
        // With the default mode, a query sends no request while the browser believes that it has no network. Then the
        // page would wait and show no reason.
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
