import { useSyncExternalStore } from 'react';

/** The time after which a request counts as slow, and the page says that it still waits. */
const SLOW_MS = 4000;
const listeners = new Set<() => void>();
let slow = 0;

function count(by: 1 | -1): void {
  slow += by;
  for (const each of listeners) each();
}

/** Waits for an answer, and counts it as slow after four seconds. */
export async function watchSlow<T>(answer: Promise<T>): Promise<T> {
  let isSlow = false;
  const timer = setTimeout(() => {
    isSlow = true;
    count(1);
  }, SLOW_MS);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
    if (isSlow) count(-1);
  }
}

/** Returns true while a request has waited for its answer for more than four seconds. */
export function useIsSlow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => slow > 0,
  );
}
