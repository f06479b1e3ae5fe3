import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { AppError, toError } from '../errors/app-error.js';
import { FairShare } from './fair-share.js';
import { type Claim, keyOf, LEASE_SECONDS, type LeasedWork } from './leased-work.js';
import { MAX_BACK_OFF_MS, pollDelay } from './poll-delay.js';
import { PollTimer } from './poll-timer.js';
import type { Running } from './running.js';
import { within } from './within.js';
import type { ReservedSlot, WakeUps } from './wake-ups.js';

const RENEW_MS = (LEASE_SECONDS * 1000) / 3;
/** The delay of a claim after the first slot becomes free, so that one claim fills several slots. */
const CLAIM_DELAY_MS = 3;
/** The time in which aborted work must end before `stop` continues without it. */
const ABORT_GRACE_MS = 500;

/**
 * Claims due rows at every wake-up and call of `poll`, and renews and releases their leases. Survives outages of the
 * database. When a lease is lost, the signal of the work aborts. The comment on `LeaseLostError`, in `run-lease.ts`,
 * says what this means for a run and its steps.
 */
export class LeasedWorker {
  private readonly logger: Logger;
  private readonly running = new Set<Running>();
  private readonly claiming = new Set<Promise<unknown>>();
  private readonly slots: number;
  private readonly fairShare?: FairShare;
  private reserved = 0;
  private failures = 0;
  /** True when rows may still be due, because too few slots were free for all of them. */
  private mayHaveMore = false;
  /** The number of slots that became free since the last claim of due rows. */
  private newlyFree = 0;
  private wakeUpClaims = 0;
  /** True when more wake-ups arrived during the claim. */
  private hasMoreWakeUps = false;
  private isPolling = false;
  private isStopped = false;
  private readonly polls = new PollTimer(() => void this.pollOnce());
  private renewTimer?: NodeJS.Timeout;

  constructor(
    private readonly work: LeasedWork,
    private readonly wakeUps: WakeUps,
    /** With `isShared`, `concurrency` limits one organization, and there are more slots; see {@link FairShare}. */
    { concurrency, isShared }: { concurrency: number; isShared?: boolean },
  ) {
    if (isShared) this.fairShare = new FairShare(concurrency);
    this.slots = this.fairShare?.slots ?? concurrency;
    this.logger = new Logger(`LeasedWorker:${work.kind}`);
  }

  start(): void {
    this.wakeUps.consume(this.work.kind, (id, organizationId) => this.handle(id, organizationId));
    this.wakeUps.offer(this.work.kind, (organizationId) => this.reserve(organizationId));
    this.renewTimer = setInterval(() => void this.renewAll(), RENEW_MS);
  }

  /** Claims due rows soon. Call it when rows may be due, for example because a wake-up may be lost. */
  poll(): void {
    // After a failed claim, the worker claims again when the pause is over.
    if (this.failures === 0) this.polls.schedule(0);
  }

  /** Stops claiming, waits up to `graceMs` for running work, then aborts it and releases unfinished rows. */
  async stop(graceMs: number): Promise<void> {
    this.isStopped = true;
    this.polls.stop();
    // Without this wait, the rows of a current claim would stay claimed for a whole lease; see `claim`.
    await within(graceMs, Promise.all(this.claiming));
    await within(graceMs, Promise.all([...this.running].map((running) => running.done)));
    const unfinished = [...this.running];
    for (const running of unfinished) running.abort.abort(new Error('The worker stops.'));
    await within(ABORT_GRACE_MS, Promise.all(unfinished.map((running) => running.done)));
    clearInterval(this.renewTimer);
    // Work that ended because of the abort is unfinished too. Its lease must not delay the next worker.
    await this.release(unfinished.map((running) => running.claim));
  }

  /** Reserves a slot for a new row. Returns undefined while other rows may be due, because the due rows come first. */
  private reserve(organizationId: string): ReservedSlot | undefined {
    if (this.isStopped || this.mayHaveMore || !this.hasRoom(organizationId)) return undefined;
    const requestedAt = performance.now();
    this.reserved += 1;
    this.fairShare?.take(organizationId);
    let resolve = (): void => undefined;
    const settled = new Promise<void>((done) => {
      resolve = done;
    });
    this.claiming.add(settled);
    const settle = (): void => {
      this.reserved -= 1;
      this.fairShare?.release(organizationId);
      this.claiming.delete(settled);
      resolve();
    };
    return {
      start: (id) => {
        const claim = { id, organizationId, epoch: 1 };
        if (this.isStopped) void this.release([claim]).finally(settle);
        else {
          settle();
          this.run(claim, requestedAt);
        }
      },
      release: (unknown) => {
        settle();
        if (unknown) void this.release([{ id: unknown.id, organizationId, epoch: 1 }]);
        this.newlyFree += 1;
        if (this.mayHaveMore && this.failures === 0) this.scheduleNext();
      },
    };
  }

  private hasRoom(organizationId: string | undefined): boolean {
    const isFull =
      organizationId !== undefined && this.fairShare?.room(organizationId, this.free) === 0;
    return this.free > 0 && !isFull;
  }

  private get free(): number {
    return this.slots - this.running.size - this.reserved;
  }

  /** Handles a wake-up. Resolves when the work is done, so that a queue gives the next wake-up to a free worker. */
  private async handle(id: string, organizationId?: string): Promise<void> {
    if (this.isStopped) return;
    if (!this.hasRoom(organizationId)) {
      // No slot is free, so the row is claimed when the next slot becomes free.
      this.mayHaveMore = true;
      return;
    }
    if (this.wakeUpClaims > 0) {
      // During a claim, wake-ups wait for one common claim, which costs the database less than a claim for each.
      this.mayHaveMore = true;
      if (!this.hasMoreWakeUps && !this.isPolling) this.polls.schedule(0);
      this.hasMoreWakeUps = true;
      return;
    }
    this.wakeUpClaims += 1;
    const share = this.fairShare?.share(this.free);
    // Count this slot now, so that other claims and reserved slots cannot exceed the organization's share.
    if (organizationId !== undefined) this.fairShare?.take(organizationId);
    const hadMore = this.mayHaveMore;
    const started = await this.claim(1, id, share);
    if (organizationId !== undefined) this.fairShare?.release(organizationId);
    this.wakeUpClaims -= 1;
    if (started.length === 0 && this.mayHaveMore && !hadMore && this.failures === 0) {
      // The claim found no row, but other wake-ups may have found no free slot meanwhile. Claim their rows now.
      this.newlyFree += 1;
      this.scheduleNext();
    }
    await Promise.all(started.map((running) => running.done));
  }

  /** Schedules the next claim, usually after 3 ms, because one claim for several free slots costs less. */
  private scheduleNext(): void {
    const isUrgent = this.newlyFree * 4 >= this.slots || this.hasMoreWakeUps;
    this.polls.schedule(isUrgent ? 0 : CLAIM_DELAY_MS);
  }

  private async pollOnce(): Promise<void> {
    const isSecond = this.isPolling;
    await this.fill();
    const hasSlots = this.newlyFree > 0 || (this.hasMoreWakeUps && this.free > 0);
    if (!isSecond && this.mayHaveMore && hasSlots && this.failures === 0) {
      this.scheduleNext();
      return;
    }
    if (this.failures > 0 && !this.polls.isPending) this.polls.schedule(pollDelay(this.failures));
  }

  /** Claims a due row for each free slot and starts the work. Does nothing while another claim is running. */
  private async fill(): Promise<void> {
    const limit = this.free;
    if (this.isPolling || limit <= 0) return;
    this.isPolling = true;
    try {
      this.mayHaveMore = false;
      this.newlyFree = 0;
      this.hasMoreWakeUps = false;
      const share = this.fairShare?.share(this.free);
      const started = await this.claim(limit, undefined, share);
      // Compare with `limit`, because slots that became free later were not part of this claim.
      const claims = started.map(({ claim }) => claim);
      if (started.length === limit || (share && FairShare.isExhausted(share, claims))) {
        this.mayHaveMore = true;
      }
    } finally {
      this.isPolling = false;
    }
  }

  /** Claims rows and starts the work. Never rejects: after an error it returns no rows. */
  private async claim(
    limit: number,
    id?: string,
    share = this.fairShare?.share(this.free),
  ): Promise<Running[]> {
    const requestedAt = performance.now();
    this.reserved += limit;
    const pending = this.work.claim(limit, id, share);
    this.claiming.add(pending);
    try {
      const claims = await pending;
      this.failures = 0;
      if (this.isStopped) {
        await this.release(claims);
        return [];
      }
      return claims.map((claim) => this.run(claim, requestedAt));
    } catch (error) {
      // Log an outage once, and not at every poll.
      if (this.failures === 0)
        this.logger.error(`Claiming rows failed; retrying: ${toError(error).message}`);
      // After the failed claim of one row, which another transaction may have locked, polls continue as before.
      if (id === undefined) this.failures += 1;
      if (!this.polls.isPending) this.polls.schedule(pollDelay(this.failures));
      return [];
    } finally {
      this.claiming.delete(pending);
      this.reserved -= limit;
    }
  }

  private run(claim: Claim, requestedAt: number): Running {
    const abort = new AbortController();
    const running: Running = {
      claim,
      abort,
      leaseEndsAt: requestedAt + LEASE_SECONDS * 1000,
      done: Promise.resolve()
        .then(() => this.work.work(claim, abort.signal))
        .catch((error: unknown) => this.handleFailure(claim, error, abort.signal))
        .finally(() => {
          this.running.delete(running);
          this.fairShare?.release(claim.organizationId);
          this.newlyFree += 1;
          // After a failure of the database, schedule no claim: repeated failures would be a busy loop.
          if (this.mayHaveMore && this.failures === 0) this.scheduleNext();
        }),
    };
    this.running.add(running);
    this.fairShare?.take(claim.organizationId);
    return running;
  }

  private async handleFailure(claim: Claim, error: unknown, signal: AbortSignal): Promise<void> {
    const { message, stack } = toError(error);
    const log = `Work on ${claim.id} failed and will be retried: ${message}`;
    const code = error instanceof AppError ? error.code : 'internal';
    if (code === 'rate_limited') {
      this.logger.debug(log);
      // The slot stays occupied during this pause. Otherwise the row would be claimed and released again and again.
      const waitMs = ((error as AppError).retryAfterSeconds ?? 1) * 1000;
      await sleep(Math.min(waitMs, MAX_BACK_OFF_MS), undefined, { signal }).catch(() => undefined);
    } else this.logger.error(log, stack);
    // Release the row. Otherwise its lease would end, which counts as a crash, and three crashes park a run.
    if (code === 'unavailable' || code === 'rate_limited') await this.release([claim]);
  }

  private async renewAll(): Promise<void> {
    const current = [...this.running];
    if (current.length === 0) return;
    const requestedAt = performance.now();
    try {
      const renewed = await this.work.renew(current.map((running) => running.claim));
      const keys = new Set(renewed.map(keyOf));
      for (const running of current) {
        if (keys.has(keyOf(running.claim)))
          running.leaseEndsAt = requestedAt + LEASE_SECONDS * 1000;
        else running.abort.abort(new Error('The lease was lost.'));
      }
    } catch (error) {
      this.logger.warn(`Renewing leases failed; retrying: ${toError(error).message}`);
      for (const running of current) {
        // Abort the work after the end of its lease, because another worker may have the row then.
        if (performance.now() >= running.leaseEndsAt) {
          running.abort.abort(new Error('The lease ended before it was renewed.'));
        }
      }
    }
  }

  private async release(claims: Claim[]): Promise<void> {
    if (claims.length === 0) return;
    try {
      await this.work.release(claims);
    } catch (error) {
      this.logger.warn(
        `Releasing rows failed, so other workers wait for the end of their leases: ${toError(error).message}`,
      );
    }
  }
}
