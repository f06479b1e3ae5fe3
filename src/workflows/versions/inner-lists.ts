import type { Step } from '../definitions/definition.js';
import type { InnerList } from '../definitions/steps/step-kind.js';
import { kindOf } from '../definitions/steps/step-kinds.js';

/** The lists of steps that a step has in it, `on_error` among them. */
export function innerLists(step: Step): readonly InnerList[] {
  const lists = kindOf(step).lists(step);
  return Array.isArray(step.on_error)
    ? [...lists, { member: 'on_error', steps: step.on_error }]
    : lists;
}
