import { describe, expect, it } from 'vitest';
import type { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { ClaimedRunData, JournalEntry } from '../journal/claimed-run.js';
import type { JournalPart, RunJournalRepository } from '../journal/run-journal.repository.js';
import type { RunLease } from '../journal/run-lease.js';
import type { ClaimedRunsRepository } from './claimed-runs.repository.js';
import { RunLoaderService } from './run-loader.service.js';
import { RunMemoryService } from './run-memory.service.js';

const NEVER = new AbortController().signal;
const MIB = 1024 * 1024;
const LEASE = { organizationId: 'a', id: 'run_1', epoch: 2 } as RunLease;
const DATA = { row: { crashes: 0 }, steps: [], payload: {}, workflowName: '' } as object;

const entry = (stepId: string, position: number, bytes: number) =>
  ({ stepId, position, bytes, tool: null, status: 'succeeded', input: { items: [] } }) as object;

/**
 * Returns the journal of a loop that has ended. The journal still has `count` entries of the iterations, each with this
 * size.
 */
const loop = (count: number, bytes: number): JournalEntry[] =>
  [
    entry('each', 0, 0),
    ...Array.from({ length: count }, (_, index) => entry(`each[${index}].one`, index + 1, bytes)),
  ] as JournalEntry[];

/**
 * Loads a journal from memory. The loader requests parts of a number of bytes. Each part has at least `density` times
 * this number.
 */
const load = async (journal: readonly JournalEntry[], density = 1) => {
  let parts = 0;
  const read = (_: string, __: string, most: number, after?: { position: number }): JournalPart => {
    parts += 1;
    const begin = after ? after.position + 1 : 0;
    let [end, bytes] = [begin, 0];
    while (end < journal.length && (end === begin || bytes < most * density)) {
      bytes += journal[end]!.bytes!;
      end += 1;
    }
    const entries = journal.slice(begin, end);
    return {
      bytes,
      count: entries.length,
      isLast: end === journal.length,
      entries: () => Promise.resolve(entries),
      end: entries.at(-1)!,
    };
  };
  const tenants = { transaction: (_: string, work: () => unknown) => work() } as object;
  const runs = { find: () => Promise.resolve(DATA as ClaimedRunData) } as object;
  const loader = new RunLoaderService(
    tenants as TenantDatabase,
    runs as ClaimedRunsRepository,
    { read } as object as RunJournalRepository,
  );
  const memory = new RunMemoryService();
  const { run, isTooLarge } = await loader.loadLarge(LEASE, NEVER, MIB, memory.reserve('a'));
  return { run, isTooLarge, parts, memory };
};

describe(RunLoaderService, () => {
  it('loads a loop whose finished iterations have 3 GiB', async () => {
    const { run, isTooLarge } = await load(loop(1000, 3 * MIB));
    expect(isTooLarge).toBe(false);
    expect([...run.journal.keys()]).toEqual(['each']);
  });

  it('stops when finished iterations have more than 4 GiB', async () => {
    const { isTooLarge, parts } = await load(loop(30_000, 8 * MIB));
    expect(isTooLarge).toBe(true);
    expect(parts).toBeLessThan(600);
  });

  it('stops after about 4,096 small parts when other entries leave little memory', async () => {
    const journal = [
      entry('each', 0, 0),
      entry('large', 1, 128 * MIB - 5000),
      ...Array.from({ length: 10_000 }, (_, index) => entry(`each[${index}].one`, index + 2, 2400)),
    ] as JournalEntry[];
    const { isTooLarge, parts } = await load(journal);
    expect(isTooLarge).toBe(true);
    expect(parts).toBeLessThanOrEqual(4097);
  });

  it('reads smaller parts when a part of dense JSON is too large for the memory', async () => {
    const { run, isTooLarge } = await load(loop(100, 2 * MIB), 20);
    expect(isTooLarge).toBe(false);
    expect([...run.journal.keys()]).toEqual(['each']);
  });

  it('keeps only the memory that the loaded entries need', async () => {
    const { memory } = await load(loop(20, 3 * MIB));
    expect(() => memory.reserve('a').grow(128 * MIB)).not.toThrow();
  });

  it('stops when more than 100,000 small entries are outside of finished iterations', async () => {
    const flat = (count: number) =>
      Array.from({ length: count }, (_, index) => entry(`x${index}`, index, 300)) as JournalEntry[];
    expect((await load(flat(100_001))).isTooLarge).toBe(true);
    expect((await load(flat(100_000))).isTooLarge).toBe(false);
    expect((await load(loop(200_000, 300))).isTooLarge).toBe(false);
  });

  it('stops at a single entry that does not fit', async () => {
    const { isTooLarge } = await load(loop(2, 130 * MIB));
    expect(isTooLarge).toBe(true);
  });
});
