import { Logger } from '@nestjs/common';
import { AppError, toError } from '../errors/app-error.js';
import { FairShare } from './fair-share.js';
import { type Claim, LEASE_SECONDS, type LeasedWork } from './leased-work.js';
import type { WakeUps } from './wake-ups.js';

export interface LeasedWorkerOptions {
  /** Rows that are worked on at the same time; if they are shared, those of one organization alone. */
  concurrency: number;
  /** Whether no organization may hold all slots. Then there are more of them: see {@link FairShare}. */
  isShared?: boolean;
  /** How often to look for work that no hint told of. */
  pollMs?: number;
}

interface Running {
  readonly claim: Claim;
  readonly abort: AbortController;
  readonly done: Promise<void>;
  /** By this process's monotonic clock, from before the lease was asked for: never later than the true end. */
  leaseEndsAt: number;
}

const RENEW_MS = (LEASE_SECONDS * 1000) / 3;
const POLL_MS = 1000;
const LONGEST_BACK_OFF_MS = 5000;
/** How long the first slot that gets free may wait for others, so that one claim fills them all. */
const GATHER_MS = 3;
/** What aborted work gets to end by itself before a stop stops waiting for it. */
const ABORT_GRACE_MS = 500;

/**
 * Keeps a bounded number of rows in work: claims what is due when a hint comes and at every poll, keeps the leases
 * alive, and gives everything back when it stops. Lost hints, a lost database and lost leases are all survived.
 */
export class LeasedWorker {
  private readonly logger: Logger;
  private readonly running = new Set<Running>();
  private readonly claiming = new Set<Promise<unknown>>();
  private readonly pollMs: number;
  private readonly slots: number;
  private readonly fairShare?: FairShare;
  /** Slots promised to claims that are still being asked for. */
  private reserved = 0;
  private failures = 0;
  /** There may be more due rows than there were free slots. */
  private more = false;
  /** Slots that have got free since the last claim of what is due was asked for. */
  private freed = 0;
  /** Hints are being followed, each by a claim of its own. */
  private following = 0;
  /** More of them have come meanwhile. */
  private hinted = false;
  private polling = false;
  private stopped = false;
  private pollTimer?: NodeJS.Timeout;
  private renewTimer?: NodeJS.Timeout;

  constructor(
    private readonly work: LeasedWork,
    private readonly wakeUps: WakeUps,
    options: LeasedWorkerOptions,
  ) {
    this.pollMs = options.pollMs ?? POLL_MS;
    if (options.isShared) this.fairShare = new FairShare(options.concurrency);
    this.slots = this.fairShare?.slots ?? options.concurrency;
    this.logger = new Logger(`LeasedWorker:${work.kind}`);
  }

  start(): void {
    this.wakeUps.consume(this.work.kind, {
      concurrency: this.slots,
      handle: (id, organizationId) => this.handle(id, organizationId),
    });
    this.renewTimer = setInterval(() => void this.renewAll(), RENEW_MS);
    this.schedulePoll(0);
  }

  /** Claims and does everything that is due, and resolves when that is done. */
  async poll(): Promise<void> {
    while (!this.stopped) {
      const started = await this.fill();
      if (started.length === 0) return;
      await Promise.all(started.map((running) => running.done));
    }
  }

  /** Takes no more work, waits for what is running, then aborts it, and gives back what was not finished. */
  async stop(graceMs: number): Promise<void> {
    this.stopped = true;
    clearTimeout(this.pollTimer);
    // A claim that is on its way would otherwise keep its row for a whole lease; see `claim`.
    await within(graceMs, Promise.all(this.claiming));
    await within(graceMs, Promise.all([...this.running].map((running) => running.done)));
    const unfinished = [...this.running];
    for (const running of unfinished) running.abort.abort(new Error('The worker stops.'));
    await within(ABORT_GRACE_MS, Promise.all(unfinished.map((running) => running.done)));
    clearInterval(this.renewTimer);
    // Also what ended on its abort: it was not finished, so its lease must not make the next worker wait.
    await this.release(unfinished.map((running) => running.claim));
  }

  private get free(): number {
    return this.slots - this.running.size - this.reserved;
  }

  /** A hint. Resolves when the work is done, so that a queue which waits for it hands the next hint to a free worker. */
  private async handle(id: string, organizationId?: string): Promise<void> {
    if (this.stopped) return;
    const isFull =
      organizationId !== undefined && this.fairShare?.room(organizationId, this.free) === 0;
    if (this.free <= 0 || isFull) {
      // Not lost: the row is still due when the next slot gets free.
      this.more = true;
      return;
    }
    if (this.following > 0) {
      // One claim for all that come meanwhile costs the database less than one for each.
      this.more = true;
      if (!this.hinted && !this.polling) this.schedulePoll(0);
      this.hinted = true;
      return;
    }
    const started = await this.follow(id);
    await Promise.all(started.map((running) => running.done));
  }

  private async follow(id: string): Promise<Running[]> {
    this.following += 1;
    try {
      return await this.claim(1, id);
    } finally {
      this.following -= 1;
    }
  }

  private schedulePoll(delayMs: number): void {
    clearTimeout(this.pollTimer);
    if (this.stopped) return;
    this.pollTimer = setTimeout(() => void this.pollOnce(), delayMs);
  }

  /** One claim for several slots costs the database little more than for one, so the first to get free waits a moment. */
  private scheduleNext(): void {
    this.schedulePoll(this.freed * 4 >= this.slots || this.hinted ? 0 : GATHER_MS);
  }

  private async pollOnce(): Promise<void> {
    const isSecond = this.polling;
    await this.fill();
    const isMoreFor = this.freed > 0 || (this.hinted && this.free > 0);
    if (!isSecond && this.more && isMoreFor && this.failures === 0) {
      this.scheduleNext();
      return;
    }
    const backOff = Math.min(this.pollMs * 2 ** this.failures, LONGEST_BACK_OFF_MS);
    // Jitter keeps many workers that started together from asking together for ever.
    this.schedulePoll(Math.max(this.pollMs, backOff) * (0.75 + Math.random() / 2));
  }

  /** Claims as many due rows as there are free slots and starts on them. One at a time: two would only collide. */
  private async fill(): Promise<Running[]> {
    const limit = this.free;
    if (this.polling || limit <= 0) return [];
    this.polling = true;
    try {
      this.more = false;
      this.freed = 0;
      this.hinted = false;
      const share = this.fairShare?.share(this.free);
      const started = await this.claim(limit, undefined, share);
      // By what was asked for: meanwhile slots may have got free, and nobody has looked what is due for them.
      const claims = started.map(({ claim }) => claim);
      if (started.length === limit || (share && FairShare.wasShort(share, claims))) {
        this.more = true;
      }
      return started;
    } finally {
      this.polling = false;
    }
  }

  private async claim(
    limit: number,
    id?: string,
    share = this.fairShare?.share(this.free),
  ): Promise<Running[]> {
    const asked = performance.now();
    this.reserved += limit;
    const pending = this.work.claim(limit, id, share);
    this.claiming.add(pending);
    try {
      const claims = await pending;
      this.failures = 0;
      if (this.stopped) {
        await this.release(claims);
        return [];
      }
      return claims.map((claim) => this.run(claim, asked));
    } catch (error) {
      // Once an outage, not once a try: the database says the same thing every second until it is back.
      if (this.failures === 0) this.logger.error(`Claiming work failed: ${toError(error).message}`);
      this.failures += 1;
      return [];
    } finally {
      this.claiming.delete(pending);
      this.reserved -= limit;
    }
  }

  private run(claim: Claim, asked: number): Running {
    const abort = new AbortController();
    const running: Running = {
      claim,
      abort,
      leaseEndsAt: asked + LEASE_SECONDS * 1000,
      done: Promise.resolve()
        .then(() => this.work.work(claim, abort.signal))
        .catch(async (error: unknown) => {
          const { message, stack } = toError(error);
          this.logger.error(`Work on ${claim.id} failed and is tried again: ${message}`, stack);
          // A database that was busy or away says nothing against the row: kept until its lease ends, the row would
          // count as one more crash, and the third of those parks a run for good.
          if (error instanceof AppError && error.code === 'unavailable')
            await this.release([claim]);
        })
        .finally(() => {
          this.running.delete(running);
          this.fairShare?.giveBack(claim.organizationId);
          this.freed += 1;
          // Only while there was more than fitted, and never on a failing database: no hot loop.
          if (this.more && this.failures === 0) this.scheduleNext();
        }),
    };
    this.running.add(running);
    this.fairShare?.take(claim.organizationId);
    return running;
  }

  private async renewAll(): Promise<void> {
    const held = [...this.running];
    if (held.length === 0) return;
    const asked = performance.now();
    try {
      const kept = await this.work.renew(held.map((running) => running.claim));
      const keys = new Set(kept.map(keyOf));
      for (const running of held) {
        if (keys.has(keyOf(running.claim))) running.leaseEndsAt = asked + LEASE_SECONDS * 1000;
        else running.abort.abort(new Error('The lease was lost.'));
      }
    } catch (error) {
      this.logger.warn(`Renewing leases failed: ${toError(error).message}`);
      for (const running of held) {
        // Nobody may answer for a while; once the lease has surely ended, somebody else has the row.
        if (performance.now() >= running.leaseEndsAt) {
          running.abort.abort(new Error('The lease ran out.'));
        }
      }
    }
  }

  private async release(claims: Claim[]): Promise<void> {
    if (claims.length === 0) return;
    try {
      await this.work.release(claims);
    } catch (error) {
      this.logger.warn(`Giving work back failed, so its leases run out: ${toError(error).message}`);
    }
  }
}

function keyOf(claim: Claim): string {
  return `${claim.organizationId} ${claim.id} ${claim.epoch}`;
}

/** Waits for work that never rejects, or until the time is over. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work.catch(() => undefined), timeUp]);
  clearTimeout(timer);
}
