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
