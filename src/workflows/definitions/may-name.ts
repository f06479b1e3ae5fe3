import type { Step } from './definition.js';

const known = new WeakMap<Step, Map<string, boolean>>();

/**
 * Whether an expression of the step may read the variable; what cannot be told for sure counts as if it did. For what
 * is not named, nobody need ask the database.
 */
export function mayName(step: Step, variable: string): boolean {
  const ofStep = known.get(step) ?? new Map<string, boolean>();
  known.set(step, ofStep);
  const found = ofStep.get(variable) ?? textsOf(step).some((text) => namesIn(text, variable));
  ofStep.set(variable, found);
  return found;
}

function namesIn(text: string, variable: string): boolean {
  // Neither a member (`look_up.contact`) nor a part of another name (`contact_id`). And `[...]` that follows no value
  // names a variable by what is inside.
  return new RegExp(`(?<![\\w.-])${variable}(?![\\w-])|(?<![\\w\\]])\\[`).test(text);
}

/** Every text of the step, at any depth. Not the names of arguments: they are no expressions. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}
