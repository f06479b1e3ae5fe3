import type { ReactNode } from 'react';
import { useTexts } from '../texts/language.tsx';
import { shellTexts } from '../texts/shell.texts.ts';
import { Page } from './page.tsx';

/**
 * Shows that no page or resource has this address. A resource of another organization looks exactly like a resource
 * that does not exist.
 */
export function NotFound({ back, children }: { back?: ReactNode; children?: ReactNode }) {
  const { notFound: texts } = useTexts(shellTexts);
  return (
    <Page title={texts.title} about={texts.text} back={back}>
      {children}
    </Page>
  );
}
