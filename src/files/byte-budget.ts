import { OrganizationCounts } from '../turns/organization-counts.js';
import { OrganizationQueue } from '../turns/organization-queue.js';

interface Waiter {
  readonly bytes: number;
  readonly start: () => void;
}

/** Bytes that are reserved for a caller. */
export interface ByteReservation {
  /**
   * Releases at most this number of bytes, or all reserved bytes if no number is given. Returns the number of bytes
   * that were released.
   */
  release(bytes?: number): number;
}

/**
 * Limits the memory of a process for large bodies. One organization has at most half of this memory, so that its calls
 * to a slow server cannot stop the calls of other organizations. Organizations whose callers wait take turns.
 */
export class ByteBudget {
  private readonly share: number;
  private readonly taken = new OrganizationCounts();
  private readonly waiting = new OrganizationQueue<Waiter>();
  private free: number;

  constructor(total: number) {
    this.free = total;
    this.share = total / 2;
  }

  /**
   * Waits for the bytes and returns a function that releases them. A second call of this function does nothing. Rejects
   * with the reason of the signal when the signal aborts during the wait. A request for more than half of the total
   * reserves half of the total.
   */
  async acquire(organizationId: string, wanted: number, signal: AbortSignal): Promise<() => void> {
    const reservation = await this.reserve(organizationId, wanted, signal);
    return () => void reservation.release();
  }

  /** Waits as {@link acquire} does. The returned reservation can be released in parts. */
  async reserve(
    organizationId: string,
    wanted: number,
    signal: AbortSignal,
  ): Promise<ByteReservation> {
    signal.throwIfAborted();
    const bytes = Math.min(wanted, this.share);
    await this.wait(organizationId, bytes, signal);
    return this.reservation(organizationId, bytes);
  }

  /**
   * Reserves bytes that are free now. Returns undefined when they are not free, when they exceed the share of the
   * organization, or when another caller waits. A waiting caller of another organization does not count while the share
   * of that organization is used up.
   */
  tryReserve(organizationId: string, bytes: number): ByteReservation | undefined {
    const mustWait = this.waiting.some(
      (id, next) => id === organizationId || this.fitsShare(id, next.bytes),
    );
    if (mustWait || bytes > this.free || !this.fitsShare(organizationId, bytes)) return undefined;
    this.add(organizationId, bytes);
    return this.reservation(organizationId, bytes);
  }

  private reservation(organizationId: string, taken: number): ByteReservation {
    let left = taken;
    return {
      release: (most = left) => {
        const bytes = Math.min(most, left);
        if (bytes === 0) return 0;
        left -= bytes;
        this.add(organizationId, -bytes);
        this.startWaiting();
        return bytes;
      },
    };
  }

  private async wait(organizationId: string, bytes: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const waiter = {
        bytes,
        start: (): void => {
          signal.removeEventListener('abort', cancel);
          resolve();
        },
      };
      const cancel = (): void => {
        this.waiting.remove(organizationId, waiter);
        // Without this call, later callers that need fewer bytes than this caller would wait for the next release.
        this.startWaiting();
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', cancel, { once: true });
      this.waiting.push(organizationId, waiter);
      this.startWaiting();
    });
  }

  private startWaiting(): void {
    let isFull = false;
    const mayTake = (organizationId: string, { bytes }: Waiter): boolean => {
      if (isFull || !this.fitsShare(organizationId, bytes)) return false;
      // No caller overtakes the caller whose turn it is. Otherwise small bodies could delay a large one for ever.
      isFull = bytes > this.free;
      return !isFull;
    };
    for (let next = this.waiting.shift(mayTake); next; next = this.waiting.shift(mayTake)) {
      const [organizationId, { bytes, start }] = next;
      this.add(organizationId, bytes);
      start();
    }
  }

  private fitsShare(organizationId: string, bytes: number): boolean {
    return this.taken.of(organizationId) + bytes <= this.share;
  }

  private add(organizationId: string, bytes: number): void {
    this.free -= bytes;
    this.taken.add(organizationId, bytes);
  }
}
