import type { ReturnStep, Step } from '../definition.js';
import type { Json } from '../step-fields.js';
import { parseNamedValues } from './named-values.js';
import type { StepKind } from './step-kind.js';

/**
 * The largest total size of the values of a `return` step, in bytes. Every caller of the run can receive values of this
 * size.
 */
export const MAX_RETURNED_BYTES = 1024 * 1024;

/** The reason of a run that has ended with a `return` step begins with this text. The path of the step follows. */
export const RETURNED = 'returned:';

/** The journal output of a step that has ended its run with values. */
export interface ReturnOutput {
  returned: Json;
}

export const RETURN_STEP: StepKind<ReturnStep> = {
  marks: ['return'],
  hint: '"return"',
  keys: ['return'],
  endsRun: true,

  parse(given, path, parser) {
    if (given.on_error !== undefined) {
      parser.fault(`${path}.on_error`, 'must be absent in a step that ends the run');
    }
    return { return: parseNamedValues(given.return, `${path}.return`, parser, 0) };
  },

  check: (step, path, checks) => checks.value(step.return, `${path}.return`),
};

export function isReturn(step: Step): step is ReturnStep {
  return 'return' in step;
}
