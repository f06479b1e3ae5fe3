import { setFlagsFromString } from 'node:v8';

/** The delay of the garbage collection. The first requests come right after the start and must not wait for it. */
const DELAY_MS = 1000;

/**
 * After one second, frees the memory that only the start needed, and returns it to the system. From then on, V8 keeps
 * compiled code. This changes V8 for the whole process, so the setting `TUNE_V8` decides whether this function is
 * called.
 */
export function tuneV8Soon(): void {
  setTimeout(() => {
    void releaseMemory()
      .catch(() => undefined)
      .then(keepCompiledCode);
  }, DELAY_MS).unref();
}

/**
 * Makes V8 keep the compiled code of functions. By default V8 drops the code of functions that are rarely called. Then
 * the first request after a quiet time waits until they are compiled again.
 */
export function keepCompiledCode(): void {
  setFlagsFromString('--no-flush-bytecode');
}

/** Collects garbage and returns the free pages to the system. This blocks the process, for about 100 ms after a start. */
export async function releaseMemory(): Promise<void> {
  // Node may be built without the inspector. Then the process keeps its memory.
  const { Session } = await import('node:inspector').catch(() => ({ Session: undefined }));
  if (!Session) return;
  const session = new Session();
  session.connect();
  // Unlike `gc()`, this command of the inspector also makes V8 return memory to the system.
  await new Promise<void>((resolve) =>
    session.post('HeapProfiler.collectGarbage', () => resolve()),
  );
  session.disconnect();
}
