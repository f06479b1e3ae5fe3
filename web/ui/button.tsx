import type { ComponentProps } from 'react';
import styles from './button.module.css';
import { classNames } from './class-names.ts';
import { Icon, type IconName } from './icon.tsx';

interface Look {
  look?: 'primary' | 'danger' | 'plain';
  size?: 'small';
  isWide?: boolean;
}

/** Returns the classes of a button, for links that look like buttons. */
export function buttonClass({ look, size, isWide }: Look = {}, square = false): string {
  return classNames(
    styles.button,
    look && styles[look],
    size && styles[size],
    isWide && styles.wide,
    square && styles.square,
  );
}

type ButtonProps = ComponentProps<'button'> & Look & { isBusy?: boolean };

/**
 * Shows a button. While it is busy, it keeps its text and its place in the order of focus, and does nothing: a button
 * that is disabled would lose the focus.
 */
export function Button({ look, size, isWide, isBusy = false, onClick, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      aria-disabled={isBusy || undefined}
      className={classNames(buttonClass({ look, size, isWide }), props.className)}
      onClick={(event) => {
        if (isBusy) event.preventDefault();
        else onClick?.(event);
      }}
    />
  );
}

type IconButtonProps = Omit<ButtonProps, 'children'> & { icon: IconName; label: string };

/** Shows a button that has only an icon. Its label is its name and its tooltip. */
export function IconButton({ icon, label, look = 'plain', size, ...props }: IconButtonProps) {
  return (
    <Button
      {...props}
      aria-label={label}
      title={label}
      className={buttonClass({ look, size }, true)}
    >
      <Icon name={icon} />
    </Button>
  );
}
