import { keepCode } from './keep-code.js';
import { releaseMemory } from './release-memory.js';

/** Not at once, for what comes first would have to wait. */
const SETTLE_AFTER_MS = 1000;

/** In a moment: gives back a quarter of the memory, which only the start needed, and keeps the code of what follows. */
export function settleSoon(): void {
  setTimeout(() => {
    void releaseMemory()
      .catch(() => undefined)
      .then(keepCode);
  }, SETTLE_AFTER_MS).unref();
}
