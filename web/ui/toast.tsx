import {
  type ReactNode,
  Suspense,
  createContext,
  lazy,
  useContext,
  useMemo,
  useState,
} from 'react';
import { foreignLine } from './cut-text.ts';
import type { Notice } from './toast-list.tsx';

const ToastList = lazy(async () => ({ default: (await import('./toast-list.tsx')).ToastList }));
/** The largest number of notices that are shown at the same time. People cannot read more. */
const MOST_NOTICES = 10;

interface Toasts {
  show: (notice: string) => void;
  prepare: () => void;
}

const ToastContext = createContext<Toasts>({ show: () => undefined, prepare: () => undefined });

/**
 * Provides short notices in a corner. They confirm finished actions, and never show errors, which stay at their place.
 */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [isPrepared, setPrepared] = useState(false);
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  const toasts = useMemo(
    () => ({
      prepare: () => setPrepared(true),
      show: (notice: string) => {
        setPrepared(true);
        const text = foreignLine(notice);
        setNotices((earlier) =>
          [...earlier, { number: (earlier.at(-1)?.number ?? 0) + 1, text }].slice(-MOST_NOTICES),
        );
      },
    }),
    [],
  );
  return (
    <ToastContext value={toasts}>
      {children}
      {isPrepared && (
        <Suspense fallback={null}>
          <ToastList notices={notices} />
        </Suspense>
      )}
    </ToastContext>
  );
}

/** Returns a function that shows a notice. Screen readers announce the notice. */
export function useToast(): (notice: string) => void {
  return useContext(ToastContext).show;
}

/**
 * Returns a function that loads the list of notices after the first page is drawn. Screen readers miss a notice that
 * appears together with its list.
 */
export function usePrepareToasts(): () => void {
  return useContext(ToastContext).prepare;
}
