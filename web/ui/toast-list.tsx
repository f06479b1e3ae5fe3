import { Toast } from '@base-ui/react/toast';
import { useEffect, useRef } from 'react';
import { useTexts } from '../texts/language.tsx';
import { uiTexts } from '../texts/ui.texts.ts';
import { buttonClass } from './button.tsx';
import { Icon } from './icon.tsx';
import styles from './toast.module.css';

/** A notice. Its number is higher than the numbers of all earlier notices. */
export interface Notice {
  number: number;
  text: string;
}

/** Shows each notice once, for some seconds, in a corner. */
export function ToastList({ notices }: { notices: readonly Notice[] }) {
  const texts = useTexts(uiTexts);
  return (
    <Toast.Provider>
      <Toast.Portal>
        <Toast.Viewport className={styles.viewport} aria-label={texts.notices}>
          <Toasts notices={notices} close={texts.close} />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function Toasts({ notices, close }: { notices: readonly Notice[]; close: string }) {
  const { toasts, add } = Toast.useToastManager();
  const last = useRef(0);
  useEffect(() => {
    for (const { number, text } of notices) if (number > last.current) add({ title: text });
    last.current = notices.at(-1)?.number ?? last.current;
  }, [notices, add]);
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={styles.toast}>
      <Toast.Content className={styles.text}>
        {/* The title is the name of the toast for assistive technology. */}
        <Toast.Title render={<div />} />
      </Toast.Content>
      <Toast.Close
        aria-label={close}
        title={close}
        className={buttonClass({ look: 'plain', size: 'small' }, true)}
      >
        <Icon name="close" />
      </Toast.Close>
    </Toast.Root>
  ));
}
