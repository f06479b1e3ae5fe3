import { setFlagsFromString } from 'node:v8';

/** The first requests come now, and must not wait for the collection. */
const DELAY_MS = 1000;

/**
 * After one second, returns the memory that only the start needed to the system, and keeps compiled code from then on.
 * This changes V8 for the whole process, so the setting `TUNE_V8` decides whether it is called.
 */
export function tuneV8Soon(): void {
  setTimeout(() => {
    void releaseMemory()
      .catch(() => undefined)
      .then(keepCompiledCode);
  }, DELAY_MS).unref();
}

/**
 * Makes V8 keep the compiled code of functions. By default V8 drops the code of functions that were not called for some
 * collections, so the first request after a quiet time waits until they are compiled again.
 */
export function keepCompiledCode(): void {
  setFlagsFromString('--no-flush-bytecode');
}

/**
 * Collects garbage and returns the free pages to the system. The process does nothing else meanwhile, for about 100 ms
 * after a start.
 */
export async function releaseMemory(): Promise<void> {
  // Node may be built without the inspector. Such a Node keeps its memory.
  const { Session } = await import('node:inspector').catch(() => ({ Session: undefined }));
  if (!Session) return;
  const session = new Session();
  session.connect();
  // Unlike `gc()`, this makes V8 reduce its memory, and not only collect.
  await new Promise<void>((resolve) =>
    session.post('HeapProfiler.collectGarbage', () => resolve()),
  );
  session.disconnect();
}
