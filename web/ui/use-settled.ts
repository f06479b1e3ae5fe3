import { useEffect, useState } from 'react';

const QUIET_MS = 200;

/** Returns the last value that stayed the same for 200 ms, so that typing does not send a request for each letter. */
export function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), QUIET_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
