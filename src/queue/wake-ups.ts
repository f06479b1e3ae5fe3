/** What a worker can be woken for. */
export type WakeUpKind = 'run' | 'message' | 'schedule' | 'event';

/** A worker of this process that can be told of work. */
export interface WakeUpConsumer {
  /** Hints that are handled at the same time. */
  readonly concurrency: number;
  /** Does the work behind the id if it is due and free; a hint that came late or twice does nothing. */
  handle(id: string, organizationId?: string): Promise<void>;
}

/**
 * Tells workers that a row has work for them. Only ever a hint: the row is the truth, hints may be lost, late or
 * doubled, and a sweep finds whatever no hint reached.
 */
export abstract class WakeUps {
  /**
   * Sends a hint, for `at` if given. Returns at once, never throws, and does not wait for Redis or PostgreSQL. A worker
   * that has no slot left for the organization need not ask the database for the row.
   */
  abstract wake(kind: WakeUpKind, id: string, at?: Date, organizationId?: string): void;

  /** Starts to hand hints of a kind to the consumer of this process. */
  abstract consume(kind: WakeUpKind, consumer: WakeUpConsumer): void;

  /** Stops handing out hints; those being handled go on. */
  abstract pause(): Promise<void>;
}
