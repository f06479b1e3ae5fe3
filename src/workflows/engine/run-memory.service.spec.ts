import { describe, expect, it } from 'vitest';
import { RunMemoryService } from './run-memory.service.js';

const NEVER = new AbortController().signal;
const MIB = 1024 * 1024;

describe(RunMemoryService, () => {
  it('gives a run back that grows when its organization has used up its memory, and lets it wait', async () => {
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

  it('reserves twice what a journal needs, so that few runs are given back', () => {
    const memory = new RunMemoryService();
    const first = memory.reserve('a');
    first.grow(32 * MIB);
    memory.reserve('a').grow(64 * MIB);
    first.grow(64 * MIB);
    expect(() => memory.reserve('a').grow(8 * MIB)).toThrow('need the memory');
  });
});
