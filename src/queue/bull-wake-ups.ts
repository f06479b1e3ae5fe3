import { type BeforeApplicationShutdown, Logger } from '@nestjs/common';
import type { Queue } from 'bull';
import { toError } from '../errors/app-error.js';
import { type WakeUpConsumer, type WakeUpKind, WakeUps } from './wake-ups.js';

/** What a Bull job carries: the hint, never the work. */
export interface WakeUpJob {
  kind: WakeUpKind;
  id: string;
  organizationId?: string;
}

export const WAKE_UP_QUEUE = 'switchboard';

/** Hints on their way to a Redis that is connected but does not answer; what is beyond is left to the sweep. */
const MOST_IN_FLIGHT = 1000;
/** Later hints are left to the sweep, so that Redis is not a calendar. */
const LONGEST_DELAY_MS = 24 * 60 * 60 * 1000;
const CLOSE_MS = 3000;

/** A hint is worth nothing once it was handled: no retry, and no row of Redis left behind. */
const JOB = { attempts: 1, removeOnComplete: true, removeOnFail: true };

/** Wake-ups through Bull, for many workers on many machines. Redis may be down, empty or away at any time. */
export class BullWakeUps extends WakeUps implements BeforeApplicationShutdown {
  private readonly logger = new Logger(BullWakeUps.name);
  private readonly consumers = new Map<string, WakeUpConsumer>();
  private inFlight = 0;
  private reported = false;

  constructor(private readonly queue: Queue<WakeUpJob>) {
    super();
    queue.on('error', (error) => this.report(error));
    queue.client.on('ready', () => {
      if (this.reported) this.logger.log('Redis is back.');
      this.reported = false;
    });
    const process = queue.process.bind(queue) as (...values: unknown[]) => Promise<void>;
    // @nestjs/bull starts the processor and forgets the promise. It rejects when Redis was never there until the
    // stop, and a rejection that nobody handles ends the process.
    queue.process = (...values: unknown[]) =>
      process(...values).catch((error) => this.report(error));
    Object.assign(queue, {
      // @nestjs/bull would wait for Bull's close(), which waits for ever when Redis does not answer.
      onApplicationShutdown: () => this.close(),
      // Only a name in CLIENT LIST, but a connection that ends before it was ready makes it fail unhandled.
      setWorkerName: () => Promise.resolve(),
    });
  }

  wake(kind: WakeUpKind, id: string, at?: Date, organizationId?: string): void {
    const delay = at ? Math.max(0, at.getTime() - Date.now()) : 0;
    if (delay > LONGEST_DELAY_MS || this.inFlight >= MOST_IN_FLIGHT) return;
    // Without a connection the client would keep the hint in memory, and every later one, until Redis is back.
    if (this.queue.client.status !== 'ready') return;
    this.inFlight += 1;
    this.queue
      .add({ kind, id, organizationId }, delay > 0 ? { ...JOB, delay } : JOB)
      .catch((error: unknown) => this.report(error))
      .finally(() => {
        this.inFlight -= 1;
      });
  }

  consume(kind: WakeUpKind, consumer: WakeUpConsumer): void {
    this.consumers.set(kind, consumer);
  }

  async pause(): Promise<void> {
    // Not awaited: it waits for Redis. Workers that stop turn down what still comes.
    this.queue.pause(true, true).catch((error: unknown) => this.report(error));
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.pause();
  }

  /** What the processor does with a job: resolves when the work is done, so that Bull favours free workers. */
  async hand({ kind, id, organizationId }: WakeUpJob): Promise<void> {
    await this.consumers.get(kind)?.handle(id, organizationId);
  }

  private async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeUp = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_MS);
    });
    await Promise.race([this.queue.close(true).catch(() => undefined), timeUp]);
    clearTimeout(timer);
    for (const client of this.queue.clients) client.disconnect();
  }

  /** Once an outage: ioredis reports every attempt to connect. */
  private report(thrown: unknown): void {
    if (this.reported) return;
    this.reported = true;
    const { message } = toError(thrown);
    this.logger.warn(`Redis does not serve hints, so work is found by polling: ${message}`);
  }
}
