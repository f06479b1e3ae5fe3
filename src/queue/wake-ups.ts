import type { BeforeApplicationShutdown } from '@nestjs/common';

/**
 * A process works at the same time on at most this number times `WORKER_CONCURRENCY` rows of each kind. A message waits
 * first for the database, then for the mail server, and then for the database again. So three messages keep one
 * connection to the mail server busy (docs/adr/0059-more-messages-than-connections.md).
 */
export const SLOT_FACTORS = { run: 1, message: 3, schedule: 1, event: 1, import: 1, segment: 1 };

export type WakeUpKind = keyof typeof SLOT_FACTORS;

/** Processes the row if it is due and not claimed. A late or duplicate wake-up does nothing. */
export type WakeUpHandler = (id: string, organizationId?: string) => Promise<void>;

/** A free slot of a worker of this process. Call exactly one of its methods, and only once. */
export interface ReservedSlot {
  /** Starts the work on a committed row with epoch 1. No other process can have that epoch. */
  start(id: string): void;
  /** Gives the slot back. Queues the row if it is unknown whether the row was committed. */
  release(unknown?: { id: string }): void;
}

/** Matches an id that a wake-up can contain. SQL of a tool can store rows with other ids. */
const ID = /^[\x21-\x7e]{1,200}$/;

/**
 * Returns true if a wake-up can contain this id. Another id could be read as several wake-ups. It could also make
 * wake-ups of other organizations fail, because wake-ups are sent together. The poll finds rows with such ids.
 */
export function canWake(id: string): boolean {
  return ID.test(id);
}

type SlotSource = (organizationId: string) => ReservedSlot | undefined;

/**
 * Sends wake-ups to workers: messages that a row is ready. A wake-up may be lost, late or repeated. The poll of each
 * worker finds the row.
 */
export abstract class WakeUps implements BeforeApplicationShutdown {
  protected readonly handlers = new Map<string, WakeUpHandler>();
  private readonly slots = new Map<WakeUpKind, SlotSource>();

  /** Sends a wake-up. Never throws and never waits. A worker without a free slot for the organization ignores it. */
  abstract wake(kind: WakeUpKind, id: string, at?: Date, organizationId?: string): void;

  consume(kind: WakeUpKind, handler: WakeUpHandler): void {
    this.handlers.set(kind, handler);
  }

  /** Sets the worker from which {@link reserve} gets the slots of a kind. */
  offer(kind: WakeUpKind, source: SlotSource): void {
    this.slots.set(kind, source);
  }

  /**
   * Reserves a slot of this process for a new row. A row that is inserted as claimed needs no wake-up and no claim.
   * Returns undefined when the row must be queued: this process has no worker or no free slot, or other rows are due.
   */
  reserve(kind: WakeUpKind, organizationId: string): ReservedSlot | undefined {
    return this.slots.get(kind)?.(organizationId);
  }

  /** Stops the delivery of wake-ups. Wake-ups that are being handled continue. */
  abstract pause(): Promise<void>;

  beforeApplicationShutdown(): Promise<void> {
    return this.pause();
  }
}
