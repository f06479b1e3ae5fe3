import { AppError } from '../../errors/app-error.js';

interface Waiter {
  readonly admit: () => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Shares the connections of a pool among organizations. An organization gets another connection only while it holds
 * fewer than twice the number of free connections. So connections stay free for the next organization, however long
 * the statements of others take: three of ten beside one organization, and one beside two. Organizations that wait
 * take turns.
 */
export class ConnectionShares {
  private readonly held = new Map<string, number>();
  /** The first organization of the map is the next in turn. */
  private readonly waiting = new Map<string, Set<Waiter>>();

  /** `free` is the number of connections of the pool. A wait ends after `mostWaitMs` with `unavailable`. */
  constructor(
    private free: number,
    private readonly mostWaitMs: number,
  ) {}

  /** Returns undefined if the organization may use a connection now, or else a promise that resolves when it may. */
  take(organizationId: string): Promise<void> | undefined {
    if (!this.waiting.has(organizationId) && this.mayTake(organizationId)) {
      this.hold(organizationId);
      return undefined;
    }
    return this.wait(organizationId);
  }

  /** Ends the use of one connection by the organization. */
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
    const held = this.heldBy(organizationId);
    // The last free connection is for an organization that holds none.
    return this.free > 0 && (held === 0 || (this.free > 1 && held < 2 * this.free));
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
    // An organization that gets a connection goes to the end of the map, and this loop reaches it again there.
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
