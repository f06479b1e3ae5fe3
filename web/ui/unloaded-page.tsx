import type { ReactNode } from 'react';
import { ApiError } from '../api/api-error.ts';
import { ErrorPanel } from './error-panel.tsx';
import { NotFound } from './not-found.tsx';
import { Page } from './page.tsx';
import { Skeleton } from './state.tsx';

interface UnloadedPageProps {
  title: string;
  back: ReactNode;
  /** Has the answer of `useTool`, whose only argument is the id of the address. */
  query: { error: Error | null; refetch: () => unknown };
}

/** Takes the place of a page until its subject is loaded, or when that fails or nothing has the id of the address. */
export function UnloadedPage({ title, back, query: { error, refetch } }: UnloadedPageProps) {
  if (error instanceof ApiError && isUnknown(error)) return <NotFound back={back} />;
  return (
    <Page title={title} back={back}>
      {error ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : <Skeleton rows={8} />}
    </Page>
  );
}

/** A text that can be no id, for example because it is too long, is unknown too. */
function isUnknown({ code }: ApiError): boolean {
  return code === 'not_found' || code === 'invalid_arguments';
}
