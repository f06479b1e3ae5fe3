import type { SetStep, Step } from '../definition.js';
import type { Json } from '../step-fields.js';
import { parseNamedValues } from './named-values.js';
import type { StepKind } from './step-kind.js';

/** The journal output of a step that sets values. */
export interface SetOutput {
  vars: Json;
}

/**
 * The members that Liquid computes when an object does not have them. A value with such a name would not be null before
 * a step sets it, so `set` refuses these names.
 */
const LIQUID_MEMBERS = ['size', 'first', 'last'];

export const SET_STEP: StepKind<SetStep> = {
  marks: ['set'],
  hint: '"set"',
  keys: ['set'],

  parse(given, path, parser) {
    const set = parseNamedValues(given.set, `${path}.set`, parser, 1);
    for (const name of LIQUID_MEMBERS) {
      if (!Object.hasOwn(set, name)) continue;
      parser.fault(`${path}.set.${name}`, 'must have another name: Liquid computes this member');
    }
    return { set };
  },

  check: (step, path, checks) => checks.value(step.set, `${path}.set`),
};

export function isSet(step: Step): step is SetStep {
  return 'set' in step;
}
