import type { Progress } from '../tools/contract/tool-call.js';
import type { NotificationStream } from './event-stream.js';

// With this pause, a call sends at most 50 notifications a second. No display needs more, and sending them costs
// little.
const MIN_PAUSE_MS = 20;

/**
 * Sends progress (MCP, basic/utilities/progress). The numbers only grow. At most one notification is sent in 20 ms, and
 * the last progress is always sent.
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
    const wait = this.sentAt + MIN_PAUSE_MS - performance.now();
    if (wait <= 0) this.send();
    else this.timer ??= setTimeout(() => this.send(), wait);
  }

  /** Sends the last delayed progress. Later reports are ignored. */
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
