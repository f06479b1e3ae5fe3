import { AlertDialog as BaseAlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { type ReactNode, useEffect, useRef, useState } from 'react';
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
  /** The buttons at the bottom right, the main button last. */
  actions?: ReactNode;
  isWide?: boolean;
  /** True when typed text can be lost without a confirmation, for example a search. */
  isPassing?: boolean;
}

/**
 * Shows a modal dialog. It keeps the focus, closes with Escape or a click beside it, and gives the focus back. After a
 * person has typed something, Escape and the click need a confirmation. The buttons of the dialog need no confirmation.
 */
export function Dialog({
  isOpen,
  onClose,
  title,
  description,
  children,
  actions,
  isWide,
  isPassing = false,
}: DialogProps) {
  const typing = useTyping(isOpen && !isPassing, onClose);
  return (
    <BaseDialog.Root open={isOpen} onOpenChange={(open) => !open && typing.close()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={styles.shade} />
        <BaseDialog.Popup
          className={classNames(styles.popup, isWide && styles.wide)}
          onInput={typing.note}
        >
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
          {typing.question}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

/** Remembers that a person typed into an open dialog. Then `close` shows a question and does not close the dialog. */
function useTyping(isKept: boolean, onClose: () => void) {
  const texts = useTexts(uiTexts);
  const hasTyped = useRef(false);
  const [isAsking, setAsking] = useState(false);
  useEffect(() => {
    if (!isKept) hasTyped.current = false;
  }, [isKept]);
  // The parent component may close the dialog while it shows the question.
  if (!isKept && isAsking) setAsking(false);
  return {
    note: () => {
      hasTyped.current = true;
    },
    close: () => {
      if (isKept && hasTyped.current) setAsking(true);
      else onClose();
    },
    question: isAsking && (
      <ConfirmDialog
        isOpen
        onClose={() => setAsking(false)}
        title={texts.dropTitle}
        description={texts.dropText}
        action={texts.drop}
        isDangerous
        onConfirm={() => {
          setAsking(false);
          onClose();
        }}
      />
    ),
  };
}

interface ConfirmProps {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  /** Says what will happen, and whether it can be undone. */
  description: ReactNode;
  /** The text of the button that confirms. */
  action: string;
  onConfirm: () => void;
  isBusy?: boolean;
  isDangerous?: boolean;
  error?: unknown;
  /** The fields of the dialog, if any. */
  children?: ReactNode;
}

/**
 * Asks before an action that cannot be undone. A click outside the dialog does not close it. Escape closes the dialog,
 * but asks first when a person has typed text into its fields.
 */
export function ConfirmDialog(props: ConfirmProps) {
  const { isOpen, onClose, title, description, action, onConfirm, isBusy, error } = props;
  const texts = useTexts(uiTexts);
  const typing = useTyping(isOpen, onClose);
  return (
    <BaseAlertDialog.Root open={isOpen} onOpenChange={(open) => !open && typing.close()}>
      <BaseAlertDialog.Portal>
        <BaseAlertDialog.Backdrop className={styles.shade} />
        <BaseAlertDialog.Popup className={styles.popup} onInput={typing.note}>
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
          {typing.question}
        </BaseAlertDialog.Popup>
      </BaseAlertDialog.Portal>
    </BaseAlertDialog.Root>
  );
}
