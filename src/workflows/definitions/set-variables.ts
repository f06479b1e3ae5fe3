import type { SetStep, Step } from './definition.js';
import { innerListsOf } from './steps/step-kinds.js';
import { isSet } from './steps/set-step.js';

/** The `set` steps whose values a step can read, by the id of the reading step. */
export type SetsBefore = ReadonlyMap<string, readonly SetStep[]>;

const cache = new WeakMap<readonly Step[], SetsBefore>();

/**
 * Returns the `set` steps before each step, in the order of the definition. A later step replaces values of the same
 * name. The order does not depend on the execution. Steps in parallel lists do not see each other, and steps inside a
 * loop are visible only in the same iteration. Steps inside branches, parallel lists and `on_error` are visible to
 * later steps too.
 */
export function setsBefore(steps: readonly Step[]): SetsBefore {
  const known = cache.get(steps);
  if (known) return known;
  const found = new Map<string, readonly SetStep[]>();
  visit(steps, [], found);
  cache.set(steps, found);
  return found;
}

/** Returns the `set` steps that are visible after the list. */
function visit(
  steps: readonly Step[],
  before: readonly SetStep[],
  found: Map<string, readonly SetStep[]>,
): readonly SetStep[] {
  let visible = before;
  for (const step of steps) {
    found.set(step.id, visible);
    const added: SetStep[] = isSet(step) ? [step] : [];
    for (const list of innerListsOf(step)) {
      const after = visit(list.steps, visible, found);
      if (!list.loop) added.push(...after.slice(visible.length));
      if (list.readerId !== undefined) found.set(list.readerId, after);
    }
    const within = added.length > 0 ? [...visible, ...added] : visible;
    visible = Array.isArray(step.on_error) ? visit(step.on_error, within, found) : within;
  }
  return visible;
}
