import { useTexts } from '../../texts/language.tsx';
import { shellTexts } from '../../texts/shell.texts.ts';
import { Page } from '../../ui/page.tsx';

export function HomePage() {
  const texts = useTexts(shellTexts);
  return <Page title={texts.pages.home}>{null}</Page>;
}
