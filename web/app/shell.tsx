import { Outlet, useRouteContext, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { tellTabs } from '../api/live/share-connection.ts';
import { useLiveChanges } from '../api/live/use-live-changes.ts';
import { useSession } from '../api/session.ts';
import { SessionEndedDialog } from '../features/account/session-ended-dialog.tsx';
import { useTexts } from '../texts/language.tsx';
import { shellTexts } from '../texts/shell.texts.ts';
import { IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { AccountMenu } from './account-menu.tsx';
import { CommandMenu } from './command-menu.tsx';
import { Navigation } from './navigation.tsx';
import { setSessionEnded, useSessionEnded } from './session-ended.ts';
import styles from './shell.module.css';
import { useIsOnline } from './use-is-online.ts';

/** Shows the frame around the pages of signed-in people. */
export function Shell() {
  const texts = useTexts(shellTexts);
  const { session } = useRouteContext({ from: '/signed-in' });
  const current = useSession();
  const hasEnded = useSessionEnded() || current === null;
  const isOnline = useIsOnline();
  const isLost = useLiveChanges({ session, hasEnded, onEnded: setSessionEnded });
  const [isNavigationOpen, setNavigationOpen] = useState(false);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const main = useFocusOnNavigation();
  useEffect(() => {
    const open = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setMenuOpen((isOpen) => !isOpen);
    };
    addEventListener('keydown', open);
    return () => removeEventListener('keydown', open);
  }, []);
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        {texts.skip}
      </a>
      <header className={styles.sidebar}>
        <div className={styles.brand}>
          <img src="/icon.svg" width="20" height="20" alt="" />
          <span title={session.organization.name}>{session.organization.name}</span>
        </div>
        <button type="button" className={styles.open} onClick={() => setMenuOpen(true)}>
          <Icon name="search" />
          {texts.commands.open}
          <kbd>{isApple() ? '⌘K' : 'Ctrl K'}</kbd>
        </button>
        <Navigation />
        <AccountMenu session={current ?? session} isWide />
      </header>
      <header className={styles.top}>
        <IconButton
          icon="menu"
          label={texts.openNavigation}
          onClick={() => setNavigationOpen(true)}
        />
        <div className={styles.brand}>
          <span>{session.organization.name}</span>
        </div>
        <IconButton icon="search" label={texts.commands.title} onClick={() => setMenuOpen(true)} />
        <AccountMenu session={current ?? session} />
      </header>
      <main id="content" className={styles.main} tabIndex={-1} ref={main}>
        <div role="status">
          {(!isOnline || isLost) && (
            <div className={styles.banner}>{isOnline ? texts.lost : texts.offline}</div>
          )}
        </div>
        <Outlet />
      </main>
      <Dialog
        isOpen={isNavigationOpen}
        onClose={() => setNavigationOpen(false)}
        title={texts.navigation}
      >
        <Navigation onNavigate={() => setNavigationOpen(false)} />
      </Dialog>
      <CommandMenu isOpen={isMenuOpen} onClose={() => setMenuOpen(false)} />
      {hasEnded && (
        <SessionEndedDialog
          session={session}
          onDone={() => {
            setSessionEnded(false);
            tellTabs(session, { type: 'renewed' });
          }}
        />
      )}
    </div>
  );
}

/** Moves the focus to the heading of a new page, so that screen readers and the Tab key begin there. */
function useFocusOnNavigation() {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const last = useRef(path);
  useEffect(() => {
    if (path === last.current) return;
    const isFirst = last.current === undefined;
    last.current = path;
    if (isFirst) return;
    const target = main.current?.querySelector('h1') ?? main.current;
    target?.focus({ preventScroll: true });
  }, [path]);
  return main;
}

function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}
