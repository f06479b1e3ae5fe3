import type { BeforeApplicationShutdown } from '@nestjs/common';

export type WakeUpKind = 'run' | 'message' | 'schedule' | 'event';

/** Processes the row if it is due and not claimed. A late or duplicate wake-up does nothing. */
export type WakeUpHandler = (id: string, organizationId?: string) => Promise<void>;

/** Tells workers that a row is ready. A wake-up may be lost, late or repeated. The poll of each worker finds the row. */
export abstract class WakeUps implements BeforeApplicationShutdown {
  protected readonly handlers = new Map<string, WakeUpHandler>();

  /** Never throws and never waits. A worker without a free slot for the organization ignores the wake-up. */
  abstract wake(kind: WakeUpKind, id: string, at?: Date, organizationId?: string): void;

  consume(kind: WakeUpKind, handler: WakeUpHandler): void {
    this.handlers.set(kind, handler);
  }

  /** Stops the delivery of wake-ups. Wake-ups that are being handled continue. */
  abstract pause(): Promise<void>;

  beforeApplicationShutdown(): Promise<void> {
    return this.pause();
  }
}
