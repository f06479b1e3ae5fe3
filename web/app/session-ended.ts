import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let hasEnded = false;

/** Stores that the service no longer knows the session, until the person has signed in again. */
export function setSessionEnded(ended: boolean): void {
  if (hasEnded === ended) return;
  hasEnded = ended;
  for (const each of listeners) each();
}

export function useSessionEnded(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => hasEnded,
  );
}
