import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import type { Share } from '../../../src/queue/fair-share.js';
import type { Claim, LeasedWork } from '../../../src/queue/leased-work.js';
import { LeasedWorker } from '../../../src/queue/leased-worker.js';
import { type WakeUpHandler, type WakeUpKind, WakeUps } from '../../../src/queue/wake-ups.js';

/** Holds rows in memory that are due until they are claimed. The work of a row lasts until the test ends it. */
class FakeWork implements LeasedWork {
  readonly kind = 'message';
  readonly due: string[] = [];
  readonly running = new Map<string, { signal: AbortSignal; end: (error?: Error) => void }>();
  readonly released: string[] = [];
  readonly lost = new Set<string>();
  claims = 0;
  isDown = false;
  /** The row whose claim fails, because another transaction has locked it. */
  locked?: string;
  /** A claim resolves only after this promise has resolved. */
  answer?: Promise<void>;

  async claim(limit: number, id?: string, share?: Share): Promise<Claim[]> {
    this.claims += 1;
    if (this.isDown) throw new Error('The database is down.');
    if (id !== undefined && id === this.locked) throw new Error('The row is locked.');
    const room = share?.rooms.org_1 ?? share?.room ?? limit;
    const claimed = (id === undefined ? this.due : this.due.filter((due) => due === id)).slice(
      0,
      Math.min(limit, room),
    );
    for (const item of claimed) this.due.splice(this.due.indexOf(item), 1);
    await this.answer;
    return claimed.map((item) => ({ id: item, organizationId: 'org_1', epoch: 1 }));
  }

  work({ id }: Claim, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (error?: Error): void => {
        this.running.delete(id);
        if (error) reject(error);
        else resolve();
      };
      this.running.set(id, { signal, end });
    });
  }

  async renew(claims: Claim[]): Promise<Claim[]> {
    if (this.isDown) throw new Error('The database is down.');
    return claims.filter(({ id }) => !this.lost.has(id));
  }

  async release(claims: Claim[]): Promise<void> {
    this.released.push(...claims.map(({ id }) => id));
  }
}

class FakeWakeUps extends WakeUps {
  handle?: WakeUpHandler;
  wake(): void {}
  override consume(_kind: WakeUpKind, handle: WakeUpHandler): void {
    this.handle = handle;
  }
  async pause(): Promise<void> {}
}

type WorkerOptions = ConstructorParameters<typeof LeasedWorker>[2];

/** A worker, its rows and its wake-ups, which are new for each test. The clock stands still except in `pass`. */
export class WorkerStage {
  work = new FakeWork();
  wakeUps = new FakeWakeUps();
  worker = new LeasedWorker(this.work, this.wakeUps, { concurrency: 2 });

  /** Replaces the worker by a worker with other options. */
  replaceWorker(options: WorkerOptions): void {
    this.worker = new LeasedWorker(this.work, this.wakeUps, options);
  }

  /** Starts the worker and polls it every second, as `DueWork` does while rows are due. */
  start(): void {
    this.worker.start();
    this.worker.poll();
    setInterval(() => this.worker.poll(), 1000);
  }

  /** Lets the clock pass, and runs the timers that become due. */
  async pass(ms: number): Promise<void> {
    await vi.advanceTimersByTimeAsync(ms);
  }

  /** Returns the rows that the worker processes now. */
  running(): string[] {
    return [...this.work.running.keys()];
  }
}

/** Returns a stage for the tests of this file, with a fake clock. After each test it ends the work and the worker. */
export function useWorkerStage(): WorkerStage {
  const stage = new WorkerStage();
  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(true));
  beforeEach(() => {
    vi.useFakeTimers();
    Object.assign(stage, new WorkerStage());
  });
  afterEach(async () => {
    for (const { end } of stage.work.running.values()) end();
    const stopped = stage.worker.stop(0);
    await stage.pass(1000);
    await stopped;
    vi.useRealTimers();
  });
  return stage;
}
