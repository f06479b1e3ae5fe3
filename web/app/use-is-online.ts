import { useEffect, useState } from 'react';
import { isReachable } from '../api/request.ts';

/**
 * Returns false while the browser has no network and the service does not answer. A service on the same machine answers
 * without a network.
 */
export function useIsOnline(): boolean {
  const [isOnline, setOnline] = useState(true);
  useEffect(() => {
    let newest = 0;
    const check = async (): Promise<void> => {
      newest += 1;
      const turn = newest;
      const answers = navigator.onLine || (await isReachable());
      // An answer that arrives after the next change of the network is outdated.
      if (turn === newest) setOnline(answers);
    };
    const listener = (): void => void check();
    listener();
    addEventListener('online', listener);
    addEventListener('offline', listener);
    return () => {
      newest += 1;
      removeEventListener('online', listener);
      removeEventListener('offline', listener);
    };
  }, []);
  return isOnline;
}
