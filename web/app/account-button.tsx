import { Suspense, lazy, useEffect, useState } from 'react';
import type { Session } from '../api/session.ts';
import { useTexts } from '../texts/language.tsx';
import { shellTexts } from '../texts/shell.texts.ts';
import { buttonClass } from '../ui/button.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { Icon } from '../ui/icon.tsx';
import styles from './shell.module.css';

const loadMenu = () => import('./account-menu.tsx');
const AccountMenu = lazy(async () => ({ default: (await loadMenu()).AccountMenu }));

interface AccountButtonProps {
  session: Session;
  isWide?: boolean;
}

/**
 * Shows the button of the account. Its menu is loaded after the first page is drawn, and replaces the button at the
 * first use.
 */
export function AccountButton({ session, isWide }: AccountButtonProps) {
  const { account } = useTexts(shellTexts);
  const [isUsed, setUsed] = useState(false);
  useEffect(() => void loadMenu().catch(() => undefined), []);
  const label = `${account}: ${session.user.email}`;
  const content = (
    <>
      <Icon name="person" />
      {isWide && (
        <span className={styles.who}>
          <ForeignText text={session.user.name ?? session.user.email} />
        </span>
      )}
    </>
  );
  const button = (
    <button
      type="button"
      aria-label={label}
      aria-haspopup="menu"
      aria-expanded={false}
      className={buttonClass({ look: 'plain', isWide: isWide ?? false })}
      onClick={() => setUsed(true)}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
        event.preventDefault();
        setUsed(true);
      }}
    >
      {content}
    </button>
  );
  if (!isUsed) return button;
  return (
    <Suspense fallback={button}>
      <AccountMenu label={label} trigger={content} isWide={isWide} />
    </Suspense>
  );
}
