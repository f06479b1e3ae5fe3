import { LRUCache } from 'lru-cache';
import { AppError } from '../errors/app-error.js';

const MAX_BUDGETS = 10_000;

/** The processor time that an organization may use: in a burst, and then in each second. */
export interface TimeAllowance {
  readonly capacityMs: number;
  readonly gainMsPerSecond: number;
}

const USUAL: TimeAllowance = { capacityMs: 10_000, gainMsPerSecond: 400 };

interface Budget {
  leftMs: number;
  at: number;
}

/**
 * Limits the processor time that each organization may use in this process. Usually this is 10 s in a burst, then 0.4 s
 * a second.
 */
export class TimeBudgets {
  private readonly budgets = new LRUCache<string, Budget>({ max: MAX_BUDGETS });

  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly work = 'templates and expressions',
    private readonly allowance = USUAL,
  ) {}

  /** Returns true when the organization has time left. */
  hasLeft(organizationId: string): boolean {
    const budget = this.budgets.get(organizationId);
    return !budget || budget.leftMs > 0 || this.refill(budget).leftMs > 0;
  }

  /** Throws `rate_limited` when the organization has no time left. */
  assertLeft(organizationId: string): void {
    if (this.hasLeft(organizationId)) return;
    const { leftMs } = this.budgets.get(organizationId)!;
    throw new AppError(
      'rate_limited',
      `The ${this.work} of this organization have used their processor time. Try again later.`,
      { retryAfterSeconds: Math.ceil((1 - leftMs) / this.allowance.gainMsPerSecond) },
    );
  }

  /** Subtracts used time. The budget can become negative, because work that has begun may continue to its end. */
  spend(organizationId: string, ms: number): void {
    const known = this.budgets.get(organizationId);
    const budget = known
      ? this.refill(known)
      : { leftMs: this.allowance.capacityMs, at: this.now() };
    budget.leftMs -= ms;
    if (!known) this.budgets.set(organizationId, budget);
  }

  private refill(budget: Budget): Budget {
    const at = this.now();
    const { capacityMs, gainMsPerSecond } = this.allowance;
    const gainMs = ((at - budget.at) / 1000) * gainMsPerSecond;
    budget.leftMs = Math.min(capacityMs, budget.leftMs + gainMs);
    budget.at = at;
    return budget;
  }
}
