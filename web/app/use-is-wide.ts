import { useSyncExternalStore } from 'react';

/** The frame has a sidebar from this width on. `shell.module.css` has the same number. */
const WIDE = matchMedia('(min-width: 861px)');

/** Returns true when the window has room for the sidebar. */
export function useIsWide(): boolean {
  return useSyncExternalStore(
    (listener) => {
      WIDE.addEventListener('change', listener);
      return () => WIDE.removeEventListener('change', listener);
    },
    () => WIDE.matches,
  );
}
