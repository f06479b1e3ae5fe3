import type { Fault } from './app-error.js';

const MAX_KEPT = 20;

/**
 * Collects the faults of an input. Keeps the first 20 faults and counts the others. A message with a hint is given as a
 * function, which is called only for kept faults. An input can have thousands of faults, and a hint compares many
 * names.
 */
export class FaultList {
  private readonly kept: Fault[] = [];
  private count = 0;

  /** The number of all faults, including those that were not kept. */
  get length(): number {
    return this.count;
  }

  /** At most the first 20 faults. */
  get first(): readonly Fault[] {
    return this.kept;
  }

  push({ path, message }: { path: string; message: string | (() => string) }): void {
    this.count += 1;
    if (this.kept.length >= MAX_KEPT) return;
    this.kept.push({ path, message: typeof message === 'string' ? message : message() });
  }

  append(others: FaultList): void {
    for (const fault of others.kept) this.push(fault);
    this.count += others.count - others.kept.length;
  }
}
