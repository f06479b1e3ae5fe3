import { AlertDialog as BaseAlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/language.tsx';
import { uiTexts } from '../texts/ui.texts.ts';
import { Button } from './button.tsx';
import { classNames } from './class-names.ts';
import styles from './dialog.module.css';
import { ErrorPanel } from './error-panel.tsx';
import { ForeignText } from './foreign-text.tsx';

interface DialogProps {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  /** Has the buttons at the bottom right, the main button last. */
  actions?: ReactNode;
  isWide?: boolean;
}

/** Shows a modal dialog. It keeps the focus, closes with Escape, and gives the focus back. */
export function Dialog({
  isOpen,
  onClose,
  title,
  description,
  children,
  actions,
  isWide,
}: DialogProps) {
  return (
    <BaseDialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={styles.shade} />
        <BaseDialog.Popup className={classNames(styles.popup, isWide && styles.wide)}>
          <BaseDialog.Title className={styles.title}>
            <ForeignText text={title} />
          </BaseDialog.Title>
          {description && (
            <BaseDialog.Description className={styles.description}>
              {description}
            </BaseDialog.Description>
          )}
          {children && <div className={styles.body}>{children}</div>}
          {actions && <div className={styles.actions}>{actions}</div>}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

interface ConfirmProps {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  /** Says what will happen, and whether it can be undone. */
  description: ReactNode;
  /** Has the verb of the button that does it. */
  action: string;
  onConfirm: () => void;
  isBusy?: boolean;
  isDangerous?: boolean;
  error?: unknown;
  /** Has the fields of the dialog, if any. */
  children?: ReactNode;
}

/** Asks before something that cannot be undone. A click beside the dialog does not close it. */
export function ConfirmDialog(props: ConfirmProps) {
  const { isOpen, onClose, title, description, action, onConfirm, isBusy, error } = props;
  const texts = useTexts(uiTexts);
  return (
    <BaseAlertDialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <BaseAlertDialog.Portal>
        <BaseAlertDialog.Backdrop className={styles.shade} />
        <BaseAlertDialog.Popup className={styles.popup}>
          <BaseAlertDialog.Title className={styles.title}>
            <ForeignText text={title} />
          </BaseAlertDialog.Title>
          <BaseAlertDialog.Description className={styles.description}>
            {description}
          </BaseAlertDialog.Description>
          {props.children && <div className={styles.body}>{props.children}</div>}
          {error !== undefined && error !== null && (
            <div className={styles.body}>
              <ErrorPanel error={error} />
            </div>
          )}
          <div className={styles.actions}>
            <Button onClick={onClose}>{texts.cancel}</Button>
            <Button
              look={props.isDangerous ? 'danger' : 'primary'}
              isBusy={isBusy}
              onClick={onConfirm}
            >
              {action}
            </Button>
          </div>
        </BaseAlertDialog.Popup>
      </BaseAlertDialog.Portal>
    </BaseAlertDialog.Root>
  );
}
