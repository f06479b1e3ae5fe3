import { setFlagsFromString } from 'node:v8';

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

/**
 * From now on the code of functions stays. V8 throws away what was not called between some collections of garbage, and
 * collects while there is little to do: what comes after a quiet time would wait for it to be compiled again.
 */
export function keepCode(): void {
  setFlagsFromString('--no-flush-bytecode');
}

/**
 * Collects garbage and gives its pages back to the system, which V8 by itself does only after a long time with nothing
 * to do. The process does nothing else meanwhile, for about 100 ms where it has just started.
 */
export async function releaseMemory(): Promise<void> {
  // Loaded only here: a Node that was built without it still starts, and keeps its memory.
  const { Session } = await import('node:inspector').catch(() => ({ Session: undefined }));
  if (!Session) return;
  const session = new Session();
  session.connect();
  // V8 takes this for a sign that memory is short. `gc()` would collect, and keep the pages.
  await new Promise<void>((resolve) =>
    session.post('HeapProfiler.collectGarbage', () => resolve()),
  );
  session.disconnect();
}
