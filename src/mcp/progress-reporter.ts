import type { Progress } from '../tools/contract/tool-call.js';
import type { NotificationStream } from './event-stream.js';

// 50 a second are more than any display shows, and less than hurts either side.
const SHORTEST_PAUSE_MS = 20;

/**
 * Passes the progress of one call on (MCP, basic/utilities/progress): only numbers that grow, not more often than every
 * 20 ms, the last one always, and nothing once the call has ended.
 */
export class ProgressReporter {
  private reported = -Infinity;
  private sentAt = -Infinity;
  private pending?: Progress;
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly stream: NotificationStream,
    private readonly token: string | number,
  ) {}

  report(progress: Progress): void {
    if (!(progress.progress > this.reported) || !Number.isFinite(progress.progress)) return;
    this.reported = progress.progress;
    this.pending = progress;
    const wait = this.sentAt + SHORTEST_PAUSE_MS - performance.now();
    if (wait <= 0) this.send();
    else this.timer ??= setTimeout(() => this.send(), wait);
  }

  /** Sends what was held back, and nothing afterwards. */
  end(): void {
    this.send();
    this.reported = Infinity;
  }

  private send(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (!this.pending) return;
    const { progress, total, message } = this.pending;
    this.pending = undefined;
    this.sentAt = performance.now();
    this.stream.notify('notifications/progress', {
      progressToken: this.token,
      progress,
      total,
      message,
    });
  }
}
