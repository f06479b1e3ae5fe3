import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { Place } from '../definitions/step-engine.js';
import { ClaimedRun, type ClaimedRunData, type JournalEntry } from '../journal/claimed-run.js';
import {
  JournalTooLargeError,
  MAX_LOADED_BYTES,
  MAX_LOADED_ENTRIES,
} from '../journal/journal-size.js';
import { type JournalPart, RunJournalRepository } from '../journal/run-journal.repository.js';
import { LeaseLostError, type RunLease } from '../journal/run-lease.js';
import { ClaimedRunsRepository } from './claimed-runs.repository.js';
import { type RunReservation, SMALL_JOURNAL_BYTES } from './run-memory.service.js';

/** The approximate number of bytes of a large journal that are loaded at a time. */
const PART_BYTES = 8 * 1024 * 1024;
/**
 * When a part does not fit, its size is divided by this number. The smaller part may fit, and may end iterations of a
 * loop.
 */
const SMALLER = 8;
/**
 * The smallest number of bytes that count for a part. Most parts have more bytes, even if their entries are not
 * compressed.
 */
const MIN_PART_BYTES = 1024 * 1024;
/**
 * The largest number of bytes that are read for one run, as `JournalPart` counts them. It limits the entries inside
 * finished iterations, because SQL of a tool can store any number of them. A part with fewer bytes counts as {@link
 * MIN_PART_BYTES}, because the database looks at all further entries for each part.
 */
export const MAX_READ_BYTES = 4 * 1024 * 1024 * 1024;
/**
 * The smallest reservation of memory for a large journal. The first text of the journal is in memory before the size of
 * this text is known.
 */
const MIN_BYTES = 4 * 1024 * 1024;

/** Loads claimed runs with their journals. */
@Injectable()
export class RunLoaderService {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly claimedRuns: ClaimedRunsRepository,
    private readonly journal: RunJournalRepository,
  ) {}

  /** Returns the data of a claimed run without its journal. Call it outside transactions. */
  async getData(lease: RunLease): Promise<ClaimedRunData> {
    const data = await this.claimedRuns.find(lease);
    if (!data) throw new LeaseLostError();
    return data;
  }

  /**
   * Returns a run with its journal, which it reads in the open transaction. When the journal is large, reads no entry
   * and returns the approximate number of its bytes instead, because a transaction must not wait for memory.
   */
  async loadSmall(
    lease: RunLease,
    signal: AbortSignal,
    data: ClaimedRunData,
    hasJournal: boolean,
  ): Promise<ClaimedRun | number> {
    const { organizationId, id } = lease;
    const entries = hasJournal
      ? await unlessTooLarge(this.journal.readSmall(organizationId, id, SMALL_JOURNAL_BYTES), [])
      : [];
    const isUnread = hasJournal && entries.length === 0;
    const bytes = isUnread ? await this.journal.estimate(organizationId, id) : 0;
    return bytes > 0 ? bytes : new ClaimedRun(lease, signal, data, entries);
  }

  /**
   * Waits for memory for a journal of this size, and returns the run. The journal is loaded in parts. After each part,
   * the entries inside finished iterations are dropped, because a loop may have thousands of large entries. At the end,
   * keeps only the memory that the other entries need. Stops early when more than {@link MAX_LOADED_BYTES} or {@link
   * MAX_LOADED_ENTRIES} would be in memory, when more than {@link MAX_READ_BYTES} would be read, or when an entry would
   * take too long to parse. Then returns the run with a part of its journal. Throws `rate_limited` when the parsed
   * journal needs more memory than is free (see `RunReservation.grow`).
   */
  async loadLarge(
    lease: RunLease,
    signal: AbortSignal,
    bytes: number,
    memory: RunReservation,
  ): Promise<{ run: ClaimedRun; isTooLarge: boolean }> {
    await memory.wait(Math.max(bytes, MIN_BYTES), signal).catch(() => {
      throw new LeaseLostError();
    });
    const run = new ClaimedRun(lease, signal, await this.getData(lease), []);
    const isTooLarge = !(await this.loadParts(run, memory));
    memory.shrink(run.bytes);
    return { run, isTooLarge };
  }

  /** Loads all parts of a journal. Stops and returns false when the journal is too large. */
  private async loadParts(run: ClaimedRun, memory: RunReservation): Promise<boolean> {
    const { organizationId, id } = run.lease;
    let partBytes = PART_BYTES;
    let readBytes = 0;
    for (let loaded: JournalPart | undefined; !loaded?.isLast;) {
      const after = loaded?.end;
      const part = await this.tenants.transaction(
        organizationId,
        () => this.journal.read(organizationId, id, partBytes, after),
        { readOnly: true },
      );
      readBytes += Math.max(part.bytes, MIN_PART_BYTES);
      if (readBytes > MAX_READ_BYTES) return false;
      const needed = run.bytes + part.bytes;
      if (needed > MAX_LOADED_BYTES) {
        if (part.count <= 1) return false;
        partBytes = Math.ceil(partBytes / SMALLER);
        continue;
      }
      memory.grow(needed);
      const entries = await unlessTooLarge(part.entries(), undefined);
      if (!entries) return false;
      run.load(entries);
      if (run.journal.size > MAX_LOADED_ENTRIES) return false;
      loaded = part;
      partBytes = Math.min(partBytes * SMALLER, PART_BYTES);
    }
    return true;
  }

  /** Reads the entries of these steps again, because their waits may have ended. */
  async refresh(run: ClaimedRun, waiting: readonly Place[]): Promise<void> {
    const { organizationId, id } = run.lease;
    const paths = waiting.map(({ path }) => path);
    run.refresh(
      await this.tenants.transaction(
        organizationId,
        () => this.journal.readSteps(organizationId, id, paths),
        { readOnly: true },
      ),
    );
  }
}

/** Returns the entries, or `otherwise` when one of them takes too long to parse. */
async function unlessTooLarge<T>(
  entries: Promise<readonly JournalEntry[]>,
  otherwise: T,
): Promise<readonly JournalEntry[] | T> {
  try {
    return await entries;
  } catch (error) {
    if (error instanceof JournalTooLargeError) return otherwise;
    throw error;
  }
}
