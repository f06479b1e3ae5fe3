import type { JournalEntry } from './claimed-run.js';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isCostlyToParse } from '../../text/json-members.js';
import { JournalTooLargeError, journalBytes, placeBytes } from './journal-size.js';

/**
 * The number of characters of JSON that are parsed in one turn of the event loop. A longer text has a turn of its own.
 */
const TURN_CHARACTERS = 256 * 1024;

type JsonMember = 'input' | 'output' | 'error' | 'progress' | 'failedAttempts';

/** A row of the journal with its JSON as text. `left` is the remaining time of its wait in milliseconds. */
export type StoredEntry = Omit<JournalEntry, JsonMember | 'bytes' | 'progressBytes'> &
  Record<JsonMember, string | null> & { readonly left: number | null };

interface MeasuredEntry {
  readonly row: StoredEntry;
  readonly bytes: number;
  readonly progressBytes: number;
}

interface MeasuredEntries {
  readonly entries: readonly MeasuredEntry[];
  /** The bytes of all entries, as `journalBytes` counts them. */
  readonly bytes: number;
  /** The time of `performance.now()` at which the rows were read. */
  readonly readAt: number;
}

/** Returns the rows, each with the bytes that it counts towards the limit. Does not parse the JSON of the rows. */
export function measureEntries(rows: readonly StoredEntry[]): MeasuredEntries {
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

/**
 * Parses the JSON of the entries, a part in each turn of the event loop. Rejects with `JournalTooLargeError` when a
 * text would take too long to parse. Only SQL of a tool, or a release without this limit, stores such a text.
 */
export async function parseEntries({ entries, readAt }: MeasuredEntries): Promise<JournalEntry[]> {
  const turns = new ParseTurns();
  const parsed: JournalEntry[] = [];
  for (const { row, bytes, progressBytes } of entries) {
    const { left, ...others } = row;
    parsed.push({
      ...others,
      input: await turns.parse(row.input),
      output: await turns.parse(row.output),
      error: await turns.parse(row.error),
      progress: await turns.parse(row.progress),
      failedAttempts: await turns.parse(row.failedAttempts),
      bytes,
      progressBytes,
      ...(left !== null && { dueAt: readAt + left }),
    });
  }
  return parsed;
}

class ParseTurns {
  private characters = 0;

  parse<T extends object>(text: string | null): T | null | Promise<T | null> {
    if (text === null) return null;
    this.characters += text.length;
    return this.characters > TURN_CHARACTERS ? this.parseLater<T>(text) : (JSON.parse(text) as T);
  }

  private async parseLater<T extends object>(text: string): Promise<T> {
    await nextTurn();
    if (isCostlyToParse(text)) throw new JournalTooLargeError();
    this.characters = text.length;
    return JSON.parse(text) as T;
  }
}
