import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type Arguments, toolQuery } from '../../api/tools.ts';
import { type Call, type CallFilters, callList } from './call.readers.ts';
import { MOST_CALLS, isShown, mergeCalls } from './merge-calls.ts';

/** The time between two reads of the log, in milliseconds. The service publishes no change for calls that only read. */
const ASK_MS = 2000;
const ROWS = 100;
/** Older calls are requested until this number of visible calls is found, or until `MOST_PAGES` pages are read. */
const ENOUGH_CALLS = 20;
const MOST_PAGES = 10;

const NO_CALLS: readonly Call[] = [];

interface Log {
  calls: readonly Call[];
  /** The next page of older calls begins at this cursor. The cursor is null when there are no older calls. */
  older: string | null;
}

/** Reads the log of calls, and adds new calls while `isPaused` is false. Use a new instance for other filters. */
export function useCallLog({ who, outcome, tool }: CallFilters, isPaused: boolean) {
  const client = useQueryClient();
  const [log, setLog] = useState<Log>();
  const [error, setError] = useState<unknown>();
  const [isLooking, setLooking] = useState(false);
  // The time of the newest row, even if that row is not shown.
  const newest = useRef<string>(undefined);

  const read = useCallback(
    (given: Arguments) =>
      client.fetchQuery({
        ...toolQuery('list_calls', { outcome, tool, limit: ROWS, ...given }, callList),
        staleTime: 0,
        gcTime: 0,
      }),
    [client, outcome, tool],
  );
  const add = useCallback(
    (rows: readonly Call[], older?: string | null) => {
      const [first] = rows;
      if (first && (newest.current === undefined || first.at > newest.current)) {
        newest.current = first.at;
      }
      const shown = rows.filter((call) => isShown(call, who === 'everybody'));
      setLog((before) => {
        const calls = mergeCalls(before?.calls ?? NO_CALLS, shown);
        const next = older === undefined ? (before?.older ?? null) : older;
        return before && calls === before.calls && next === before.older
          ? before
          : { calls, older: next };
      });
      return shown.length;
    },
    [who],
  );

  const lookBack = useCallback(
    async (from: string | null) => {
      setLooking(true);
      try {
        let cursor = from;
        let found = 0;
        for (let page = 0; page < MOST_PAGES && found < ENOUGH_CALLS; page += 1) {
          const answer = await read(cursor === null ? {} : { cursor });
          cursor = answer.next_cursor ?? null;
          found += add(answer.calls, cursor);
          if (cursor === null) break;
        }
        setError(undefined);
      } catch (failure) {
        setError(failure);
      } finally {
        setLooking(false);
      }
    },
    [read, add],
  );
  useEffect(() => void lookBack(null), [lookBack]);

  const isReady = log !== undefined;
  useEffect(() => {
    if (!isReady || isPaused) return undefined;
    let isAsking = false;
    const ask = async (): Promise<void> => {
      if (isAsking || document.visibilityState === 'hidden') return;
      isAsking = true;
      try {
        add((await read(newest.current === undefined ? {} : { from: newest.current })).calls);
        setError(undefined);
      } catch (failure) {
        setError(failure);
      }
      isAsking = false;
    };
    void ask();
    const timer = setInterval(() => void ask(), ASK_MS);
    return () => clearInterval(timer);
  }, [isReady, isPaused, read, add]);

  const { older = null } = log ?? {};
  const isFull = log !== undefined && log.calls.length >= MOST_CALLS;
  return {
    calls: log?.calls,
    error,
    isLooking,
    retry: () => void lookBack(null),
    isFull,
    // A full log cannot show older calls: it drops its oldest calls, so it would drop them immediately.
    ...(older !== null && !isFull && { lookBack: () => void lookBack(older) }),
  };
}
