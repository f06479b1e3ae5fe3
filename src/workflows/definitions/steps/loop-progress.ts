import { isJsonObject } from '../../../text/is-json-object.js';

/** The largest number of iterations with rows in the journal, counted from the first one that is not folded. */
const MAX_WINDOW = 100;
const MIN_WINDOW = 20;
/**
 * The largest number of steps in the iterations that have rows in the journal. A loop whose iterations have many steps
 * has fewer such iterations.
 */
const MAX_WINDOW_STEPS = 1000;

/** A number that is greater than every position in a loop. A loop has at most 1,000,000 items and 100,000 pages. */
const MAX_POSITION = 2 ** 31;

/** An item whose iteration had a failed step. */
export interface ItemFailure {
  readonly index: number;
  /** The path of the first step that failed. */
  readonly step: string;
  readonly code: string;
  readonly message: string;
}

/**
 * The position of a loop whose finished iterations are folded: their rows are deleted from the journal, and counted
 * here. The position is stored in the row of the loop, by the transaction that deletes the rows.
 */
export interface LoopProgress {
  /** The number of the first iteration that is not folded. All iterations before it are done and have no rows. */
  readonly done: number;
  /** The number of finished iterations in which a step failed. */
  readonly failed: number;
  /** The first failures of iterations. */
  readonly failures: readonly ItemFailure[];
  /** The results of the folded iterations. Absent when they are too many or too large. */
  readonly results?: readonly unknown[];
  /** The position in the pages. Present for a loop over pages. */
  readonly pages?: PageProgress;
}

export interface PageProgress {
  /** The number of pages that were read. */
  readonly read: number;
  /** The index of the first item of the page. */
  readonly firstItem: number;
  /** The value that the previous page returned for the next page, or null. */
  readonly cursor: unknown;
  /** True when no page follows. */
  readonly isLast: boolean;
}

/**
 * Returns the progress of a loop from its stored form, or undefined for a loop that keeps its rows. Throws when a
 * stored position is no number that a loop can reach. Without this check, a function that counts up from a position
 * above 2^53 would never end.
 */
export function progressOf(state: { readonly progress?: object | null }): LoopProgress | undefined {
  const { progress } = state;
  if (!isJsonObject(progress) || !('done' in progress)) return undefined;
  const { done, pages } = progress as unknown as LoopProgress;
  if (![done, ...(pages ? [pages.read, pages.firstItem] : [])].every(isPosition)) {
    throw new Error('The stored progress of a loop has no position that a loop can reach.');
  }
  return progress as unknown as LoopProgress;
}

function isPosition(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= MAX_POSITION;
}

/** Returns how many iterations may have rows, for a loop with this many steps. */
export function windowOf(steps: number): number {
  return Math.min(MAX_WINDOW, Math.max(MIN_WINDOW, Math.floor(MAX_WINDOW_STEPS / steps)));
}
