import { Toast } from '@base-ui/react/toast';
import { type ReactNode, useCallback } from 'react';
import { useTexts } from '../texts/language.tsx';
import { uiTexts } from '../texts/ui.texts.ts';
import { buttonClass } from './button.tsx';
import { foreignLine } from './cut-text.ts';
import { Icon } from './icon.tsx';
import styles from './toast.module.css';

/** Provides short notices in a corner. They say what was done, never what went wrong: errors stay at their place. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const texts = useTexts(uiTexts);
  return (
    <Toast.Provider>
      {children}
      <Toast.Portal>
        <Toast.Viewport className={styles.viewport} aria-label={texts.notices}>
          <Toasts close={texts.close} />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

/** Returns a function that shows a notice. Screen readers say it. */
export function useToast(): (notice: string) => void {
  const { add } = Toast.useToastManager();
  return useCallback((notice) => void add({ description: foreignLine(notice) }), [add]);
}

function Toasts({ close }: { close: string }) {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={styles.toast}>
      <Toast.Content className={styles.text}>
        <Toast.Description render={<div />} />
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
