import { Injectable } from '@nestjs/common';
import { AppError } from '../../errors/app-error.js';
import { ByteBudget, type ByteReservation } from '../../files/byte-budget.js';
import { MAX_JOURNAL_BYTES, MAX_LOADED_BYTES } from '../journal/journal-size.js';

/**
 * The largest number of bytes of large journals in the memory of a process. One organization may use at most half of
 * these bytes.
 */
const MAX_BYTES = 4 * MAX_JOURNAL_BYTES;
/** The bytes that each claimed run may have without a reservation. */
export const SMALL_JOURNAL_BYTES = 1024 * 1024;

/** Limits the memory of a process for the journals of its claimed runs. */
@Injectable()
export class RunMemoryService {
  private readonly budget = new ByteBudget(MAX_BYTES);

  /** Returns the reservation of a run. Call its `end` when the journal is no longer in memory. */
  reserve(organizationId: string): RunReservation {
    return new RunReservation(this.budget, organizationId);
  }
}

/**
 * Reserves memory for the journal of one run: twice its size, but at most `MAX_JOURNAL_BYTES`. For a larger journal,
 * reserves its size.
 */
export class RunReservation {
  private readonly reservations: ByteReservation[] = [];
  private bytes = SMALL_JOURNAL_BYTES;

  constructor(
    private readonly budget: ByteBudget,
    private readonly organizationId: string,
  ) {}

  /** Waits for the memory of a journal that is not loaded yet. */
  async wait(bytes: number, signal: AbortSignal): Promise<void> {
    const more = this.missing(bytes);
    this.reservations.push(await this.budget.reserve(this.organizationId, more, signal));
    this.bytes += more;
  }

  /**
   * Reserves more when the journal has grown. Throws `rate_limited` when this memory is not free. Then the run
   * continues when it is claimed again. If runs waited here with their journals in memory, they could wait for each
   * other forever.
   */
  grow(bytes: number): void {
    const more = bytes > this.bytes ? this.missing(bytes) : 0;
    if (more === 0) return;
    const reservation = this.budget.tryReserve(this.organizationId, more);
    if (!reservation) {
      throw new AppError('rate_limited', 'Other runs need the memory of the process.');
    }
    this.reservations.push(reservation);
    this.bytes += more;
  }

  /**
   * Releases the memory that a loaded journal of this size does not need. Before the journal was loaded, its size was
   * only estimated.
   */
  shrink(bytes: number): void {
    const needed = Math.max(withRoom(bytes), SMALL_JOURNAL_BYTES);
    for (const reservation of this.reservations) {
      if (this.bytes <= needed) return;
      this.bytes -= reservation.release(this.bytes - needed);
    }
  }

  end(): void {
    for (const reservation of this.reservations.splice(0)) reservation.release();
  }

  private missing(bytes: number): number {
    return Math.max(0, withRoom(bytes) - this.bytes);
  }
}

function withRoom(bytes: number): number {
  const doubled = Math.max(bytes, Math.min(2 * bytes, MAX_JOURNAL_BYTES));
  return Math.min(doubled, MAX_LOADED_BYTES);
}
