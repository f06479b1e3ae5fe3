import { Menu as BaseMenu } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import { buttonClass } from './button.tsx';
import { classNames } from './class-names.ts';
import { Icon, type IconName } from './icon.tsx';
import styles from './menu.module.css';

interface MenuProps {
  /** The name of the button that opens the menu. */
  label: string;
  /** Replaces the icon of the button. */
  trigger?: ReactNode;
  isWide?: boolean;
  isOpenAtFirst?: boolean;
  children: ReactNode;
}

/** Shows a button that opens a list of commands. */
export function Menu({ label, trigger, isWide, isOpenAtFirst, children }: MenuProps) {
  return (
    <BaseMenu.Root defaultOpen={isOpenAtFirst ?? false}>
      <BaseMenu.Trigger
        aria-label={label}
        title={trigger ? undefined : label}
        className={buttonClass({ look: 'plain', isWide }, trigger === undefined)}
      >
        {trigger ?? <Icon name="more" />}
      </BaseMenu.Trigger>
      <BaseMenu.Portal>
        <BaseMenu.Positioner className={styles.positioner} sideOffset={4} align="end">
          <BaseMenu.Popup className={styles.popup}>{children}</BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}

interface ItemProps {
  icon?: IconName;
  isDangerous?: boolean;
  onSelect: () => void;
  children: ReactNode;
}

export function MenuItem({ icon, isDangerous, onSelect, children }: ItemProps) {
  return (
    <BaseMenu.Item
      className={classNames(styles.item, isDangerous && styles.dangerous)}
      onClick={onSelect}
    >
      {icon && <Icon name={icon} />}
      {children}
    </BaseMenu.Item>
  );
}

interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
}

/** Shows a group of menu items, one of which is chosen. */
export function MenuChoice<T extends string>({ label, value, options, onChange }: ChoiceProps<T>) {
  return (
    <BaseMenu.RadioGroup value={value} onValueChange={onChange} aria-label={label}>
      <div className={styles.label} aria-hidden="true">
        {label}
      </div>
      {options.map((option) => (
        <BaseMenu.RadioItem key={option.value} value={option.value} className={styles.item}>
          <span className={styles.check}>
            <BaseMenu.RadioItemIndicator>
              <Icon name="check" />
            </BaseMenu.RadioItemIndicator>
          </span>
          {option.label}
        </BaseMenu.RadioItem>
      ))}
    </BaseMenu.RadioGroup>
  );
}

export function MenuLine() {
  return <BaseMenu.Separator className={styles.line} />;
}
