import { expect, it } from 'vitest';
import { releaseMemory } from './release-memory.js';

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
