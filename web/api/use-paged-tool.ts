import { useState } from 'react';
import type { Reader } from './reader.js';
import { type Arguments, useTool } from './tools.js';

interface Paged {
  next_cursor?: string | null | undefined;
}

export interface Pager {
  /** The number of the page, from 1. */
  page: number;
  next?: () => void;
  previous?: () => void;
}

/**
 * Reads one page of a list tool. The pages follow cursors, so a list of a million rows is as fast as a short one, and
 * the browser holds one page only. New arguments begin at the first page.
 */
export function usePagedTool<T extends Paged>(
  name: string,
  given: Arguments,
  reader: Reader<T>,
  isEnabled = true,
) {
  const filter = JSON.stringify(given);
  const [place, setPlace] = useState<{ filter: string; cursors: readonly string[] }>({
    filter,
    cursors: [],
  });
  const cursors = place.filter === filter ? place.cursors : [];
  const query = useTool(name, { ...given, cursor: cursors.at(-1) }, reader, isEnabled);
  const next = query.isPlaceholderData ? undefined : query.data?.next_cursor;
  const go = (to: readonly string[]) => () => setPlace({ filter, cursors: to });
  const pager: Pager = {
    page: cursors.length + 1,
    ...(next && { next: go([...cursors, next]) }),
    ...(cursors.length > 0 && { previous: go(cursors.slice(0, -1)) }),
  };
  return { ...query, pager };
}
