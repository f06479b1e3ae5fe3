/** Calls a function once after a delay. A new delay replaces the last one. */
export class PollTimer {
  private timer?: NodeJS.Timeout;
  private isStopped = false;

  constructor(private readonly poll: () => void) {}

  get isPending(): boolean {
    return this.timer !== undefined;
  }

  /** Schedules the call. Does nothing after {@link stop}. */
  schedule(delayMs: number): void {
    clearTimeout(this.timer);
    if (this.isStopped) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.poll();
    }, delayMs);
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }
}
