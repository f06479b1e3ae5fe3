/**
 * Limits the memory of a process for large bodies. Callers wait in the order in which they came, until others have
 * released enough.
 */
export class ByteBudget {
  private free: number;
  private readonly waiting: { readonly bytes: number; readonly start: () => void }[] = [];

  constructor(private readonly total: number) {
    this.free = total;
  }

  /**
   * Waits for the bytes and returns a function that releases them. A second call of this function does nothing. Rejects
   * with the reason of the signal when the signal aborts during the wait. More bytes than the total count as the total.
   */
  async acquire(wanted: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const bytes = Math.min(wanted, this.total);
    if (this.waiting.length > 0 || bytes > this.free) await this.wait(bytes, signal);
    else this.free -= bytes;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.release(bytes);
    };
  }

  private async wait(bytes: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const waiter = {
        bytes,
        start: (): void => {
          signal.removeEventListener('abort', cancel);
          resolve();
        },
      };
      const cancel = (): void => {
        this.waiting.splice(this.waiting.indexOf(waiter), 1);
        // Without this release, callers behind this one that need less would wait for the next release.
        this.release(0);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', cancel, { once: true });
      this.waiting.push(waiter);
    });
  }

  private release(bytes: number): void {
    this.free += bytes;
    while (this.waiting[0] && this.waiting[0].bytes <= this.free) {
      const next = this.waiting.shift()!;
      this.free -= next.bytes;
      next.start();
    }
  }
}
