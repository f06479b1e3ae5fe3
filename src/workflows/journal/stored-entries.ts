import type { JournalEntry } from './claimed-run.js';
import { journalBytes, placeBytes } from './journal-size.js';

type JsonMember = 'input' | 'output' | 'error' | 'progress' | 'failedAttempts';

/** A row of the journal with its JSON as text. `left` is the remaining time of its wait in milliseconds. */
export type StoredEntry = Omit<JournalEntry, JsonMember | 'bytes' | 'progressBytes'> &
  Record<JsonMember, string | null> & { readonly left: number | null };

interface WeighedEntry {
  readonly row: StoredEntry;
  readonly bytes: number;
  readonly progressBytes: number;
}

interface WeighedEntries {
  readonly entries: readonly WeighedEntry[];
  /** The bytes of all entries, as `journalBytes` counts them. */
  readonly bytes: number;
  /** The time of `performance.now()` at which the rows were read. */
  readonly readAt: number;
}

/** Returns the rows with the bytes that they count towards the limit. It does not parse their JSON. */
export function weighEntries(rows: readonly StoredEntry[]): WeighedEntries {
  const readAt = performance.now();
  let total = 0;
  const entries = rows.map((row) => {
    const bytes =
      placeBytes(row) + journalBytes(row.input, row.output, row.error, row.failedAttempts);
    const progressBytes = journalBytes(row.progress);
    total += bytes + progressBytes;
    return { row, bytes, progressBytes };
  });
  return { entries, bytes: total, readAt };
}

export function parseEntries({ entries, readAt }: WeighedEntries): JournalEntry[] {
  return entries.map(({ row: { left, ...row }, bytes, progressBytes }) => ({
    ...row,
    input: parse(row.input),
    output: parse(row.output),
    error: parse(row.error),
    progress: parse(row.progress),
    failedAttempts: parse(row.failedAttempts),
    bytes,
    progressBytes,
    ...(left !== null && { dueAt: readAt + left }),
  }));
}

function parse<T extends object>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T);
}
