import { AppError } from '../../errors/app-error.js';

const RESERVED_SHARE = 0.3;

interface Waiter {
  readonly admit: () => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Shares the connections of a pool among organizations. The last 30 % of the connections are for organizations
 * without a connection. So one organization gets at most 7 of 10 connections. While three organizations have slow
 * statements, a fourth still gets a connection immediately. Waiting organizations take turns.
 */
export class ConnectionShares {
  private readonly held = new Map<string, number>();
  /** The organizations that wait. The first one of the map has the next turn. */
  private readonly waiting = new Map<string, Set<Waiter>>();
  /** The number of connections that only organizations without a connection may use. */
  private readonly reserved: number;

  /** `free` is the number of connections of the pool. A wait ends after `mostWaitMs` with `unavailable`. */
  constructor(
    private free: number,
    private readonly mostWaitMs: number,
  ) {
    this.reserved = Math.max(1, Math.floor(free * RESERVED_SHARE));
  }

  /**
   * Requests a connection. Returns undefined if the organization may use a connection now, or else a promise that
   * resolves when it may.
   */
  take(organizationId: string): Promise<void> | undefined {
    if (!this.waiting.has(organizationId) && this.mayTake(organizationId)) {
      this.hold(organizationId);
      return undefined;
    }
    return this.wait(organizationId);
  }

  /** Frees one connection that the organization used. */
  release(organizationId: string): void {
    this.free += 1;
    const left = this.heldBy(organizationId) - 1;
    if (left > 0) this.held.set(organizationId, left);
    else this.held.delete(organizationId);
    this.admitWaiters();
  }

  private heldBy(organizationId: string): number {
    return this.held.get(organizationId) ?? 0;
  }

  private mayTake(organizationId: string): boolean {
    return this.free > (this.heldBy(organizationId) === 0 ? 0 : this.reserved);
  }

  private hold(organizationId: string): void {
    this.free -= 1;
    this.held.set(organizationId, this.heldBy(organizationId) + 1);
  }

  private wait(organizationId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiters = this.waiting.get(organizationId) ?? new Set();
      const timer = setTimeout(() => {
        this.leave(organizationId, waiter);
        reject(
          new AppError('unavailable', 'Too many calls of the organization are slow. Try again.', {
            retryAfterSeconds: 2,
          }),
        );
      }, this.mostWaitMs);
      const waiter = { admit: resolve, timer };
      this.waiting.set(organizationId, waiters.add(waiter));
    });
  }

  private leave(organizationId: string, waiter: Waiter): void {
    const waiters = this.waiting.get(organizationId)!;
    waiters.delete(waiter);
    if (waiters.size === 0) this.waiting.delete(organizationId);
  }

  private admitWaiters(): void {
    // An organization that gets a connection moves to the end of the map, where this loop reaches it again.
    for (const [organizationId, waiters] of this.waiting) {
      if (this.free === 0) return;
      if (!this.mayTake(organizationId)) continue;
      const [waiter] = waiters;
      this.hold(organizationId);
      this.waiting.delete(organizationId);
      waiters.delete(waiter!);
      if (waiters.size > 0) this.waiting.set(organizationId, waiters);
      clearTimeout(waiter!.timer);
      waiter!.admit();
    }
  }
}
