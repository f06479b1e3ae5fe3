import type { CallEnd } from '../contract/tool-call.js';

/** Collects the work that a call of an external tool postpones until its end. */
class CollectedEnd implements CallEnd {
  private readonly works: (() => Promise<void>)[] = [];
  private readonly releases: (() => void)[] = [];

  record(work: () => Promise<void>): void {
    this.works.push(work);
  }

  release(action: () => void): void {
    this.releases.push(action);
  }

  /** Runs the recorded work in order and then `last`, in the current transaction. */
  async complete(last: () => Promise<void>): Promise<void> {
    for (const work of this.works) await work();
    await last();
  }

  runReleases(): void {
    for (const release of this.releases.splice(0)) release();
  }
}

/** Runs a call, and then the actions that it postponed until its end. The actions run even after an error. */
export async function withEnd<T>(call: (end: CollectedEnd) => Promise<T>): Promise<T> {
  const end = new CollectedEnd();
  try {
    return await call(end);
  } finally {
    end.runReleases();
  }
}
