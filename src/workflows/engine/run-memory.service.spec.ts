import { describe, expect, it } from 'vitest';
import { RunMemoryService } from './run-memory.service.js';

const NEVER = new AbortController().signal;
const MIB = 1024 * 1024;

describe(RunMemoryService, () => {
  it('refuses memory to a run that grows beyond the share of its organization, until other runs end', async () => {
    const memory = new RunMemoryService();
    const [first, second, third] = [1, 2, 3].map(() => memory.reserve('a'));
    first!.grow(64 * MIB);
    second!.grow(64 * MIB);
    third!.grow(MIB);
    expect(() => third!.grow(4 * MIB)).toThrow('need the memory');
    memory.reserve('b').grow(64 * MIB);
    third!.end();
    const again = memory.reserve('a');
    let isLoaded = false;
    const loaded = again.wait(4 * MIB, NEVER).then(() => (isLoaded = true));
    await Promise.resolve();
    expect(isLoaded).toBe(false);
    first!.end();
    await loaded;
    again.grow(8 * MIB);
  });

  it('reserves twice the size of a journal, so that few runs are refused memory', () => {
    const memory = new RunMemoryService();
    const first = memory.reserve('a');
    first.grow(32 * MIB);
    memory.reserve('a').grow(64 * MIB);
    first.grow(64 * MIB);
    expect(() => memory.reserve('a').grow(8 * MIB)).toThrow('need the memory');
  });

  it('keeps only the memory that a journal needs after it was loaded', async () => {
    const memory = new RunMemoryService();
    const first = memory.reserve('a');
    await first.wait(128 * MIB, NEVER);
    first.grow(12 * MIB);
    expect(() => memory.reserve('a').grow(52 * MIB)).toThrow('need the memory');
    first.shrink(32 * MIB);
    expect(() => memory.reserve('a').grow(67 * MIB)).toThrow('need the memory');
    memory.reserve('a').grow(64 * MIB);
    first.end();
    memory.reserve('a').grow(64 * MIB);
  });
});
