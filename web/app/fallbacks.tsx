import { Link, useRouter } from '@tanstack/react-router';
import { ApiError } from '../api/api-error.ts';
import { useTexts } from '../texts/language.tsx';
import { shellTexts } from '../texts/shell.texts.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { ErrorPanel } from '../ui/error-panel.tsx';
import { NotFound } from '../ui/not-found.tsx';
import { Page } from '../ui/page.tsx';
import { Skeleton } from '../ui/state.tsx';

/** Shows that a page is unknown. */
export function NotFoundPage() {
  const { notFound: texts } = useTexts(shellTexts);
  return (
    <NotFound>
      <div>
        <Link to="/" className={buttonClass()}>
          {texts.back}
        </Link>
      </div>
    </NotFound>
  );
}

/** Shows the error in place of a page that failed. The frame around it stays. */
export function FailedPage({ error }: { error: unknown }) {
  const texts = useTexts(shellTexts);
  const router = useRouter();
  if (error instanceof ApiError) {
    return (
      <Page title={texts.product}>
        <ErrorPanel error={error} onRetry={() => void router.invalidate()} />
      </Page>
    );
  }
  const { title, text } = isMissingCode(error) ? texts.missing : texts.crashed;
  return (
    <Page title={title} about={text}>
      <div>
        <Button onClick={() => location.reload()}>{texts.crashed.reload}</Button>
      </div>
    </Page>
  );
}

/** Returns true when a script could not be loaded. Browsers give such errors no code, so the message is compared. */
function isMissingCode(error: unknown): boolean {
  return (
    error instanceof Error &&
    /dynamically imported module|module script failed/i.test(error.message)
  );
}

/** Shows the error in place of the frame when the session cannot be read. */
export function FailedFrame({ error }: { error: unknown }) {
  return (
    <main>
      <FailedPage error={error} />
    </main>
  );
}

export function LoadingPage() {
  const { loading } = useTexts(shellTexts);
  return (
    <Page title={loading}>
      <Skeleton rows={6} />
    </Page>
  );
}
