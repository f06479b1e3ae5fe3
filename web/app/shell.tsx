import { Outlet, useRouteContext, useRouterState } from '@tanstack/react-router';
import { Suspense, lazy, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useLiveChanges } from '../api/live/use-live-changes.ts';
import { type Session, useSession } from '../api/session.ts';
import { useTexts } from '../texts/language.tsx';
import { shellTexts } from '../texts/shell.texts.ts';
import { BrandIcon } from '../ui/brand-icon.tsx';
import { IconButton } from '../ui/button.tsx';
import { foreignLine } from '../ui/cut-text.ts';
import { ForeignText } from '../ui/foreign-text.tsx';
import { Icon } from '../ui/icon.tsx';
import { usePrepareToasts } from '../ui/toast.tsx';
import { AccountButton } from './account-button.tsx';
import { Navigation } from './navigation.tsx';
import { setSessionEnded, useSessionEnded } from './session-ended.ts';
import type { ShellDialog } from './shell-dialogs.tsx';
import styles from './shell.module.css';
import { useIsOnline } from './use-is-online.ts';
import { useIsWide } from './use-is-wide.ts';

const loadDialogs = () => import('./shell-dialogs.tsx');
const ShellDialogs = lazy(async () => ({ default: (await loadDialogs()).ShellDialogs }));

/** Shows the frame around the pages of signed-in people. */
export function Shell() {
  const texts = useTexts(shellTexts);
  const { session } = useRouteContext({ from: '/signed-in' });
  const current = useSession();
  const hasEnded = useSessionEnded() || current === null;
  const isOnline = useIsOnline();
  const isLost = useLiveChanges({ session, hasEnded, onEnded: setSessionEnded });
  const [dialog, setDialog] = useState<ShellDialog>();
  const isWide = useIsWide();
  const main = useFocusOnNavigation();
  useCommandKey(() => setDialog((open) => (open === 'commands' ? undefined : 'commands')));
  // The dialogs are loaded after the first page is drawn, so that they are available when the service is unreachable
  // later.
  useEffect(() => void loadDialogs().catch(() => undefined), []);
  const prepareToasts = usePrepareToasts();
  useEffect(prepareToasts, [prepareToasts]);
  const [areDialogsUsed, setDialogsUsed] = useState(false);
  if (!areDialogsUsed && (dialog !== undefined || hasEnded)) setDialogsUsed(true);
  const frame = { session: current ?? session, onOpen: setDialog };
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        {texts.skip}
      </a>
      {isWide ? <Sidebar {...frame} /> : <TopBar {...frame} />}
      <main id="content" className={styles.main} tabIndex={-1} ref={main}>
        <div role="status">
          {(!isOnline || isLost) && (
            <div className={styles.banner}>{isOnline ? texts.lost : texts.offline}</div>
          )}
        </div>
        <Outlet />
      </main>
      {areDialogsUsed && (
        <Suspense fallback={null}>
          <ShellDialogs
            session={session}
            hasEnded={hasEnded}
            open={dialog}
            onClose={() => setDialog(undefined)}
          />
        </Suspense>
      )}
    </div>
  );
}

interface FrameProps {
  session: Session;
  onOpen: (dialog: ShellDialog) => void;
}

/** Shows the frame of a wide window: the pages and the account at the left side. */
function Sidebar({ session, onOpen }: FrameProps) {
  const texts = useTexts(shellTexts);
  const { name } = session.organization;
  return (
    <header className={styles.sidebar}>
      <div className={styles.brand}>
        <BrandIcon size={20} />
        <span title={foreignLine(name)}>
          <ForeignText text={name} />
        </span>
      </div>
      <button type="button" className={styles.open} onClick={() => onOpen('commands')}>
        <Icon name="search" />
        {texts.commands.open}
        <kbd>{isApple() ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <Navigation />
      <AccountButton session={session} isWide />
    </header>
  );
}

/** Shows the frame of a narrow window: buttons above the page. */
function TopBar({ session, onOpen }: FrameProps) {
  const texts = useTexts(shellTexts);
  return (
    <header className={styles.top}>
      <IconButton icon="menu" label={texts.openNavigation} onClick={() => onOpen('navigation')} />
      <div className={styles.brand}>
        <span>
          <ForeignText text={session.organization.name} />
        </span>
      </div>
      <IconButton icon="search" label={texts.commands.title} onClick={() => onOpen('commands')} />
      <AccountButton session={session} />
    </header>
  );
}

/** Calls `onPress` when a person presses K with Ctrl or with the command key. */
function useCommandKey(onPress: () => void): void {
  const latest = useEffectEvent(onPress);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      latest();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
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
