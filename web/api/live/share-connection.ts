import type { Session } from '../session.ts';
import { ChangeSource } from './change-source.ts';
import { type LiveEvent, readLiveEvent } from './change.ts';

/** Tabs of one person in one organization share a connection. */
export function channelName({ user, organization }: Session): string {
  return `switchboard.changes.${organization.id}.${user.id}`;
}

/** Calls `onEvent` with the messages of all tabs, including this one. Returns a function that ends these calls. */
export function listen(session: Session, onEvent: (event: LiveEvent) => void): () => void {
  const channel = new BroadcastChannel(channelName(session));
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const event = readLiveEvent(data);
    if (event) onEvent(event);
  });
  return () => channel.close();
}

/** Sends a message to every tab, including this one. */
export function tellTabs(session: Session, event: LiveEvent): void {
  const channel = new BroadcastChannel(channelName(session));
  post(channel, event);
  channel.close();
}

function post(channel: BroadcastChannel, event: LiveEvent): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A channel reaches its own origin only.
  channel.postMessage(event);
}

/**
 * Keeps one connection for all tabs of the browser. The tab that has the lock has the connection. When this tab is
 * closed, another tab gets the lock and the connection. Returns a function that releases both.
 */
export function shareConnection(session: Session): () => void {
  const channel = new BroadcastChannel(channelName(session));
  const connect = (): ChangeSource => new ChangeSource(session, (event) => post(channel, event));
  const end = hasLocks() ? connectWithLock(channelName(session), connect) : connectSeen(connect);
  return () => {
    end();
    channel.close();
  };
}

/** Returns true when the browser has locks. A page that was loaded from another machine needs https for locks. */
function hasLocks(): boolean {
  return 'locks' in navigator;
}

function connectWithLock(name: string, connect: () => ChangeSource): () => void {
  const over = new AbortController();
  const hold = (): Promise<void> =>
    new Promise((resolve) => {
      if (over.signal.aborted) {
        resolve();
        return;
      }
      const source = connect();
      over.signal.addEventListener('abort', () => {
        source.close();
        resolve();
      });
    });
  // The request for the lock is rejected when the page gives up before it gets the lock.
  navigator.locks.request(name, { signal: over.signal }, hold).catch(() => undefined);
  return () => over.abort();
}

/** Connects while the tab is visible. Browsers allow six connections, so hidden tabs must not keep one open. */
function connectSeen(connect: () => ChangeSource): () => void {
  let source: ChangeSource | undefined;
  const follow = (): void => {
    if (document.visibilityState === 'hidden') {
      source?.close();
      source = undefined;
    } else source ??= connect();
  };
  document.addEventListener('visibilitychange', follow);
  follow();
  return () => {
    document.removeEventListener('visibilitychange', follow);
    source?.close();
  };
}
