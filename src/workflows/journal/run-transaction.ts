import type { Place, Plan } from '../definitions/step-engine.js';
import type { ClaimedRun, JournalEntry } from './claimed-run.js';
import { sizeOf } from './journal-size.js';

/**
 * The journal entries that one database transaction of a claimed run has written. They are visible only in the
 * transaction until {@link apply} is called after the commit, so memory never shows rolled back entries.
 */
export class RunTransaction {
  private staged = new Map<string, JournalEntry>();
  private readonly folded = new Set<string>();

  constructor(
    readonly run: ClaimedRun,
    /** True when several steps share the transaction, each in a savepoint of its own. */
    readonly isShared = false,
  ) {}

  get(path: string): JournalEntry | undefined {
    return this.staged.get(path) ?? this.run.journal.get(path);
  }

  /** Creates the entry for a new attempt of a step. A step that already has an entry keeps its position. */
  newEntry(place: Place, tool: string | null = null): JournalEntry {
    return this.run.newEntry(place, tool, this.get(place.path));
  }

  get entries(): ReadonlyMap<string, JournalEntry> {
    const { journal } = this.run;
    return this.staged.size === 0 ? journal : new Map([...journal, ...this.staged]);
  }

  /** The bytes that the journal will have in memory after the commit. */
  get bytes(): number {
    return this.run.bytes + this.addedBytes;
  }

  /** The bytes that the transaction has added to the journal. */
  get addedBytes(): number {
    let added = 0;
    for (const [path, entry] of this.staged) added += sizeOf(entry) - sizeOf(this.run.get(path));
    return added;
  }

  /** Plans the next steps of the run after the commit. */
  plan(): Plan {
    return this.run.plan(this);
  }

  stage(entry: JournalEntry): void {
    this.staged.set(entry.stepId, entry);
  }

  /** Marks iterations whose rows this transaction deletes. Steps that share a transaction fold nothing. */
  fold(iterations: Iterable<string>): void {
    for (const iteration of iterations) this.folded.add(iteration);
  }

  /** Adds the staged entries to the journal in memory, and removes the folded entries. Call it after the commit. */
  apply(): void {
    this.run.apply(this.staged.values());
    this.run.forgetFolded(this.folded);
  }

  /** Runs work in a savepoint. When the work throws, the entries that it staged are dropped. */
  async unstageOnError<T>(work: () => Promise<T>): Promise<T> {
    const before = new Map(this.staged);
    try {
      return await work();
    } catch (error) {
      this.staged = before;
      throw error;
    }
  }

  /** Returns true while a step that may have crashed an earlier worker has made no progress. */
  get hasSuspect(): boolean {
    return [...this.run.suspects].some(([path, entryAtClaim]) => {
      const entry = this.get(path);
      // A `running` entry of an external call is written before the call, which may still crash this worker.
      const isIntent = entry?.status === 'running' && entry.tool !== null;
      return entry === entryAtClaim || isIntent;
    });
  }
}
