import { createPortal } from 'react-dom';
import { useIsSlow } from '../api/slow-requests.ts';
import { useTexts } from '../texts/language.tsx';
import { uiTexts } from '../texts/ui.texts.ts';
import styles from './slow-notice.module.css';

/** Says, above every page and dialog, that the service takes long to answer. So people do not send a form twice. */
export function SlowNotice() {
  const texts = useTexts(uiTexts);
  const isSlow = useIsSlow();
  // The notice is outside the root of the page, because the root is a stacking context below the dialogs. Without
  // aria-live, dialogs would also hide the notice from screen readers.
  return createPortal(
    <div role="status" aria-live="polite" className={styles.place}>
      {isSlow && <div className={styles.notice}>{texts.slow}</div>}
    </div>,
    document.body,
  );
}
