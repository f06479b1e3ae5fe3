import { getHeapCodeStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext, runInThisContext } from 'node:vm';
import { expect, it } from 'vitest';
import { keepCode, releaseMemory } from './settle.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

it('keeps the code of functions that are not called for a while', () => {
  expect(codeKept('before')).toBeLessThan(0.5);
  keepCode();
  expect(codeKept('after')).toBeGreaterThan(0.9);
});

/** How much of the code of functions that are not called again is there after the garbage was collected some times. */
function codeKept(name: string): number {
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

it('gives back what is not needed any more', async () => {
  const before = fill();
  await releaseMemory();
  expect(process.memoryUsage().heapTotal).toBeLessThan(before - 50 * 1024 * 1024);
});

/** Returns the size of the heap with 100 MiB in it that nothing refers to afterwards. */
function fill(): number {
  const kept = Array.from({ length: 100 * 1024 }, (_, index) =>
    Array.from({ length: 128 }, () => index),
  );
  const { heapTotal } = process.memoryUsage();
  return kept.length > 0 ? heapTotal : 0;
}
