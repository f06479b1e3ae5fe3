import { type ReactNode, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { ErrorPanel } from './error-panel.tsx';
import { NotFound } from './not-found.tsx';
import { Page } from './page.tsx';
import { Skeleton } from './state.tsx';

interface UnloadedPageProps {
  title: string;
  back: ReactNode;
  /** The answer of `useTool` for a tool whose only argument is an id. The id comes from the address of the page. */
  query: { error: Error | null; refetch: () => unknown };
}

/**
 * Shows a skeleton until the subject of the page is loaded, and an error when loading fails. Shows "not found" when no
 * row has the id in the address. Give it a `key` with the id, so that it starts again for another id.
 */
export function UnloadedPage({ title, back, query: { error, refetch } }: UnloadedPageProps) {
  const [last, setLast] = useState(error);
  if (error && error !== last) setLast(error);
  // While the query is read again, for example after a change, it has no error for a moment. If the last error were
  // not kept, the page would flicker.
  const shown = error ?? last;
  if (shown instanceof ApiError && isUnknown(shown)) return <NotFound back={back} />;
  return (
    <Page title={title} back={back}>
      {shown ? <ErrorPanel error={shown} onRetry={() => void refetch()} /> : <Skeleton rows={8} />}
    </Page>
  );
}

/** Returns true for an unknown id. A text that cannot be an id, for example because it is too long, is unknown too. */
function isUnknown({ code }: ApiError): boolean {
  return code === 'not_found' || code === 'invalid_arguments';
}
