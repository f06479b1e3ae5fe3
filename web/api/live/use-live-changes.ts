import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { type Session, sessionQuery } from '../session.ts';
import { isSame } from './change-source.ts';
import { Refresher } from './refresher.ts';
import { listen, shareConnection } from './share-connection.ts';

interface LiveOptions {
  session: Session;
  hasEnded: boolean;
  /** Called with true when the session has ended, and with false when a person signed in again in another tab. */
  onEnded: (hasEnded: boolean) => void;
}

/**
 * Updates the data of the pages as long as the session lasts. Returns true while the connection is lost, when the data
 * may be old.
 */
export function useLiveChanges({ session, hasEnded, onEnded }: LiveOptions): boolean {
  const client = useQueryClient();
  const refresher = useMemo(() => new Refresher(client), [client]);
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    const check = async (): Promise<void> => {
      const now = await client.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch(() => null);
      if (isSame(now, session)) onEnded(false);
    };
    return listen(session, (event) => {
      if (event.type === 'changes') refresher.add(event.changes);
      else if (event.type === 'gap') refresher.addAll();
      else if (event.type === 'ended') onEnded(true);
      else if (event.type === 'renewed') void check();
      setLost(event.type === 'lost');
    });
  }, [client, refresher, session, onEnded]);
  useEffect(() => (hasEnded ? undefined : shareConnection(session)), [session, hasEnded]);
  return isLost && !hasEnded;
}
