import type { Pager } from '../api/use-paged-tool.ts';
import { useTexts } from '../texts/language.tsx';
import { uiTexts } from '../texts/ui.texts.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import styles from './table.module.css';

/** Shows the number of the page, and buttons for the next and the previous page. `list` is the label of the list. */
export function PagerBar({ pager, list }: { pager: Pager; list?: string }) {
  const texts = useTexts(uiTexts).pager;
  return (
    <nav className={styles.pager} aria-label={texts.label(list)}>
      <span aria-live="polite">{texts.page(pager.page)}</span>
      <Button size="small" disabled={!pager.previous} onClick={pager.previous}>
        <Icon name="chevronLeft" />
        {texts.previous}
      </Button>
      <Button size="small" disabled={!pager.next} onClick={pager.next}>
        {texts.next}
        <Icon name="chevronRight" />
      </Button>
    </nav>
  );
}
