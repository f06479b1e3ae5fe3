import { useIsSlow } from '../api/slow-requests.ts';
import { useTexts } from '../texts/language.tsx';
import { uiTexts } from '../texts/ui.texts.ts';
import styles from './slow-notice.module.css';

/** Says over every page and dialog that the service takes long to answer, so that nobody sends a form twice. */
export function SlowNotice() {
  const texts = useTexts(uiTexts);
  const isSlow = useIsSlow();
  return (
    // Without aria-live, dialogs would hide the notice from screen readers.
    <div role="status" aria-live="polite" className={styles.place}>
      {isSlow && <div className={styles.notice}>{texts.slow}</div>}
    </div>
  );
}
