import { InjectQueue } from '@nestjs/bull';
import { Injectable, Logger } from '@nestjs/common';
import type { Queue } from 'bull';
import { toError } from '../errors/app-error.js';
import { within } from './within.js';
import { canWake, type WakeUpKind, WakeUps } from './wake-ups.js';

/** The payload of a Bull job. It has the id of a row and no data of the row. */
export interface WakeUpJob {
  kind: WakeUpKind;
  id: string;
  organizationId?: string;
}

export const WAKE_UP_QUEUE = 'switchboard';

/** The largest number of wake-ups that Redis has not yet answered. The poll finds the rows of later wake-ups. */
const MAX_IN_FLIGHT = 1000;
/** The longest delay of wake-ups in Redis. The poll finds rows that are due later. */
const MAX_DELAY_MS = 24 * 60 * 60 * 1000;
const CLOSE_MS = 3000;

/** The options of a job: a wake-up is not retried, and Redis does not keep it after it was handled. */
const JOB = { attempts: 1, removeOnComplete: true, removeOnFail: true };

/** Sends wake-ups through Bull, for workers on many machines. It tolerates a Redis that is down or loses its data. */
@Injectable()
export class BullWakeUps extends WakeUps {
  private readonly logger = new Logger(BullWakeUps.name);
  private inFlight = 0;
  private isOutageReported = false;

  constructor(@InjectQueue(WAKE_UP_QUEUE) private readonly queue: Queue<WakeUpJob>) {
    super();
    queue.on('error', (error) => this.report(error));
    queue.client.on('ready', () => {
      if (this.isOutageReported) this.logger.log('Redis is back.');
      this.isOutageReported = false;
    });
    const process = queue.process.bind(queue) as (...values: unknown[]) => Promise<void>;
    // process() rejects when the process stops before Redis was available. @nestjs/bull would not handle this
    // rejection.
    queue.process = (...values: unknown[]) =>
      process(...values).catch((error) => this.report(error));
    Object.assign(queue, {
      // The shutdown hook of @nestjs/bull is replaced. It would wait for Bull's close(), which waits forever when Redis
      // does not answer.
      onApplicationShutdown: () => this.close(),
      // Bull's own method only gives the connection a name in Redis. When a connection ends early, the promise of that
      // method rejects, and nothing handles the rejection.
      setWorkerName: () => Promise.resolve(),
    });
  }

  wake(kind: WakeUpKind, id: string, at?: Date, organizationId?: string): void {
    const delay = at ? Math.max(0, at.getTime() - Date.now()) : 0;
    if (delay > MAX_DELAY_MS || this.inFlight >= MAX_IN_FLIGHT || !canWake(id)) return;
    // Without a connection, the client would keep all wake-ups in memory until Redis is back.
    if (this.queue.client.status !== 'ready') return;
    this.inFlight += 1;
    this.queue
      .add({ kind, id, organizationId }, delay > 0 ? { ...JOB, delay } : JOB)
      .catch((error: unknown) => this.report(error))
      .finally(() => {
        this.inFlight -= 1;
      });
  }

  async pause(): Promise<void> {
    // pause() is not awaited, because it waits for Redis. Stopping workers ignore later wake-ups.
    this.queue.pause(true, true).catch((error: unknown) => this.report(error));
  }

  /** Delivers a wake-up. Resolves when the work is done, so that Bull gives the next wake-up to a free worker. */
  async deliver({ kind, id, organizationId }: WakeUpJob): Promise<void> {
    await this.handlers.get(kind)?.(id, organizationId);
  }

  private async close(): Promise<void> {
    await within(CLOSE_MS, this.queue.close(true));
    for (const client of this.queue.clients) client.disconnect();
  }

  /** Logs an error once per outage, because ioredis reports every attempt to connect. */
  private report(thrown: unknown): void {
    if (this.isOutageReported) return;
    this.isOutageReported = true;
    const { message } = toError(thrown);
    this.logger.warn(`Redis is not available, so workers find work by polling: ${message}`);
  }
}
