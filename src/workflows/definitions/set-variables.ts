import type { SetStep, Step } from './definition.js';
import { innerListsOf } from './steps/step-kinds.js';
import { isSet } from './steps/set-step.js';

/**
 * A linked list: a `set` step and the chain of the `set` steps before it. Steps share their chains. With a list for
 * each step, the total length of the lists would be the square of the number of steps.
 */
export interface SetChain {
  readonly step: SetStep;
  readonly before: SetChain | undefined;
  readonly length: number;
}

/** The `set` steps whose values a step can read, by the id of the reading step. */
export type SetsBefore = ReadonlyMap<string, SetChain | undefined>;

const cache = new WeakMap<readonly Step[], SetsBefore>();

/**
 * Returns the `set` steps before each step. A later step replaces values of the same name. The order does not depend on
 * the execution. Steps in parallel lists do not see each other, and steps inside a loop are visible only in the same
 * iteration. Steps inside branches, parallel lists and `on_error` are visible to later steps too.
 */
export function setsBefore(steps: readonly Step[]): SetsBefore {
  const known = cache.get(steps);
  if (known) return known;
  const found = new Map<string, SetChain | undefined>();
  visit(steps, undefined, found);
  cache.set(steps, found);
  return found;
}

/**
 * Returns the steps of a chain in the order of the definition. Leaves out the steps of `until`, an earlier part of this
 * chain.
 */
export function stepsOf(chain: SetChain | undefined, until?: SetChain): SetStep[] {
  const steps: SetStep[] = [];
  for (let at = chain; at && at !== until; at = at.before) steps.push(at.step);
  return steps.toReversed();
}

/**
 * Adds to `found` the `set` steps that each of the given steps sees. Returns the `set` steps that a step after the
 * given steps sees. The first of the given steps sees those of `before`.
 */
function visit(
  steps: readonly Step[],
  before: SetChain | undefined,
  found: Map<string, SetChain | undefined>,
): SetChain | undefined {
  let visible = before;
  for (const step of steps) {
    found.set(step.id, visible);
    let within = isSet(step) ? append(visible, step) : visible;
    for (const list of innerListsOf(step)) {
      const after = visit(list.steps, visible, found);
      if (!list.loop) within = stepsOf(after, visible).reduce(append, within);
      if (list.readerId !== undefined) found.set(list.readerId, after);
    }
    visible = Array.isArray(step.on_error) ? visit(step.on_error, within, found) : within;
  }
  return visible;
}

function append(before: SetChain | undefined, step: SetStep): SetChain {
  return { step, before, length: (before?.length ?? 0) + 1 };
}

/**
 * Finds the names of the values that are set by the steps of a chain. The duration of a call depends only on the number
 * of steps that differ between its chain and the chain of the previous call.
 */
export class VisibleNames {
  private readonly counts = new Map<string, number>();
  private chain: SetChain | undefined;

  /** Returns the names of a chain. The result is valid until the next call. */
  at(chain: SetChain | undefined): Pick<ReadonlySet<string>, 'has' | 'keys'> {
    const added: SetStep[] = [];
    let [old, now] = [this.chain, chain];
    while (old !== now) {
      if (now && now.length >= (old?.length ?? 0)) {
        added.push(now.step);
        now = now.before;
      } else {
        for (const name of Object.keys(old!.step.set)) this.remove(name);
        old = old!.before;
      }
    }
    for (const { set } of added) {
      for (const name of Object.keys(set)) this.counts.set(name, this.countOf(name) + 1);
    }
    this.chain = chain;
    return this.counts;
  }

  private remove(name: string): void {
    const count = this.countOf(name) - 1;
    if (count > 0) this.counts.set(name, count);
    else this.counts.delete(name);
  }

  private countOf(name: string): number {
    return this.counts.get(name) ?? 0;
  }
}
