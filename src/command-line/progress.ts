import { counted } from '../text/counted.js';
import type { Terminal } from './terminal.js';

const WATCHED_INTERVAL_MS = 200;
const LOGGED_INTERVAL_MS = 10_000;

/**
 * Counts rows and reports the progress of the command. On a terminal, it replaces the last line. Elsewhere, it writes a
 * new line every ten seconds.
 */
export class Progress {
  private readonly beganAt = performance.now();
  private shownAt = -Infinity;
  private pauseShownAt = -Infinity;
  private readBytes = 0;
  done = 0;
  rejected = 0;

  /** `totalBytes` is undefined when nobody knows the size of the file. */
  constructor(
    private readonly terminal: Terminal,
    private readonly totalBytes: number | undefined,
  ) {
    if (!terminal.isWatched) this.shownAt = this.beganAt;
  }

  /** Counts rows that are done. `end` is the position in the file at which the last of these rows ends. */
  add(done: number, rejected: number, end: number): void {
    this.done += done;
    this.rejected += rejected;
    this.readBytes = end;
    const { isWatched } = this.terminal;
    const now = performance.now();
    if (now - this.shownAt < (isWatched ? WATCHED_INTERVAL_MS : LOGGED_INTERVAL_MS)) return;
    this.shownAt = now;
    if (isWatched) this.terminal.showProgress(this.describe());
    else this.terminal.report(this.describe());
  }

  /** Reports why the command waits, at most every ten seconds. */
  reportPause(reason: string): void {
    const now = performance.now();
    if (now - this.pauseShownAt < LOGGED_INTERVAL_MS) return;
    this.pauseShownAt = now;
    this.terminal.report(reason);
  }

  /** Returns the counts and the time, for example `10000 rows: 9998 done, 2 rejected, in 12.3 s.` */
  summarize(): string {
    const { done, rejected } = this;
    const time = `in ${this.seconds.toFixed(1)} s`;
    return `${counted(done + rejected, 'row')}: ${done} done, ${rejected} rejected, ${time}.`;
  }

  private get seconds(): number {
    return (performance.now() - this.beganAt) / 1000;
  }

  private describe(): string {
    const rows = this.done + this.rejected;
    const perSecond = Math.round(rows / Math.max(this.seconds, 0.001));
    const percent = this.totalBytes
      ? `, ${Math.floor((100 * this.readBytes) / this.totalBytes)} %`
      : '';
    return `${counted(rows, 'row')}${percent}, ${perSecond} a second, ${this.rejected} rejected`;
  }
}
