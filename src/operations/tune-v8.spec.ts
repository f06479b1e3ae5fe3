import { getHeapCodeStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext, runInThisContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { keepCompiledCode, releaseMemory } from './tune-v8.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe(keepCompiledCode, () => {
  it('keeps the code of functions that are not called for a while', () => {
    expect(keptShare('before')).toBeLessThan(0.5);
    keepCompiledCode();
    expect(keptShare('after')).toBeGreaterThan(0.9);
  });
});

describe(releaseMemory, () => {
  it('returns free pages to the system', async () => {
    const before = fillHeap();
    await releaseMemory();
    expect(process.memoryUsage().heapTotal).toBeLessThan(before - 50 * 1024 * 1024);
  });
});

/** Returns the fraction of compiled functions that is left after several garbage collections without a call. */
function keptShare(name: string): number {
  const before = sizeOfCode();
  const functions = Array.from({ length: 500 }, (_, index) =>
    runInThisContext(
      `(function (count) { let ${name} = ${index}; while (count-- > 0) ${name} *= 2; })`,
    ),
  ) as ((count: number) => void)[];
  for (const compiled of functions) compiled(1);
  const made = sizeOfCode() - before;
  for (let time = 0; time < 8; time += 1) collectGarbage();
  const kept = sizeOfCode() - before;
  return functions.length > 0 ? kept / made : 0;
}

function sizeOfCode(): number {
  return getHeapCodeStatistics().bytecode_and_metadata_size;
}

/** Fills the heap with 100 MiB of garbage and returns its size. */
function fillHeap(): number {
  const kept = Array.from({ length: 100 * 1024 }, (_, index) =>
    Array.from({ length: 128 }, () => index),
  );
  const { heapTotal } = process.memoryUsage();
  return kept.length > 0 ? heapTotal : 0;
}
