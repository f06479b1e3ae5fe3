import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { GateDatabase } from '../database/gate-database.js';
import { toError } from '../errors/app-error.js';
import { pollDelay } from './poll-delay.js';
import type { WakeUpKind } from './wake-ups.js';

/** A kind of work that `find_due_work.sql` looks for. */
export type DueKind = WakeUpKind | 'parked run' | 'audit entry';

/**
 * Asks the database every second which kinds of work may be due, and calls the listeners of these kinds. So work whose
 * wake-up was lost or is late is found too. One statement instead of a claim for each kind saves an idle process a
 * third of its processor time.
 */
@Injectable()
export class DueWork implements BeforeApplicationShutdown {
  private readonly logger = new Logger(DueWork.name);
  private readonly listeners = new Map<DueKind, () => void>();
  private timer?: NodeJS.Timeout;
  private asking: Promise<void> = Promise.resolve();
  private failures = 0;
  private isStopped = false;

  constructor(private readonly gate: GateDatabase) {}

  /**
   * Calls the listener immediately, and then about every second while rows of the kind may be due. The listener must
   * not throw.
   */
  listen(kind: DueKind, listener: () => void): void {
    this.listeners.set(kind, listener);
    this.schedule(0);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.asking;
  }

  private schedule(delayMs: number): void {
    clearTimeout(this.timer);
    if (this.isStopped) return;
    this.timer = setTimeout(() => {
      this.asking = this.ask();
    }, delayMs);
  }

  private async ask(): Promise<void> {
    try {
      const [row] = await this.gate.call<{ find_due_work: DueKind[] }>('find_due_work', []);
      this.failures = 0;
      for (const kind of row!.find_due_work) {
        if (!this.isStopped) this.listeners.get(kind)?.();
      }
    } catch (error) {
      // An outage is logged once, and not at every poll.
      if (this.failures === 0)
        this.logger.error(`Looking for due work failed; retrying: ${toError(error).message}`);
      this.failures += 1;
    }
    this.schedule(pollDelay(this.failures));
  }
}
