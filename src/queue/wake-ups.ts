import type { BeforeApplicationShutdown } from '@nestjs/common';

/** Kinds of work for which workers are woken. */
export type WakeUpKind = 'run' | 'message' | 'schedule' | 'event';

/** Processes the row if it is due and not claimed. A late or duplicate wake-up does nothing. */
export type WakeUpHandler = (id: string, organizationId?: string) => Promise<void>;

/** Tells workers that a row is ready. A wake-up may be lost, late or doubled; the poll of each worker finds the row anyway. */
export abstract class WakeUps implements BeforeApplicationShutdown {
  protected readonly handlers = new Map<string, WakeUpHandler>();

  /**
   * Sends a wake-up, for the time `at` if given. It never throws and does not wait for Redis or PostgreSQL. With the
   * organization, a worker without a free slot for it can ignore the wake-up.
   */
  abstract wake(kind: WakeUpKind, id: string, at?: Date, organizationId?: string): void;

  /** Delivers wake-ups of a kind to `handler` from now on. */
  consume(kind: WakeUpKind, handler: WakeUpHandler): void {
    this.handlers.set(kind, handler);
  }

  /** Stops the delivery of wake-ups. Those that are being handled continue. */
  abstract pause(): Promise<void>;

  beforeApplicationShutdown(): Promise<void> {
    return this.pause();
  }
}
