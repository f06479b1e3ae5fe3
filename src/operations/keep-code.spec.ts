import { getHeapCodeStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext, runInThisContext } from 'node:vm';
import { expect, it } from 'vitest';
import { keepCode } from './keep-code.js';

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
