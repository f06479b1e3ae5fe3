/** Lets some things happen at once, and then one with each pause that has passed. */
export class Pace {
  private left: number;
  private countedAt = performance.now();

  constructor(
    private readonly inARow: number,
    readonly pauseMs: number,
  ) {
    this.left = inARow;
  }

  /** Whether the next one may happen at once. */
  get isOpen(): boolean {
    const now = performance.now();
    this.left = Math.min(this.inARow, this.left + (now - this.countedAt) / this.pauseMs);
    this.countedAt = now;
    return this.left >= 1;
  }

  /** Counts one that happens, whether it may or not. */
  count(): void {
    this.left = Math.max(0, this.left - 1);
  }
}
