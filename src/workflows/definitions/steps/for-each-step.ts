import type { ForEachStep, SetStep, Step } from '../definition.js';
import { isDynamic } from '../step-fields.js';
import type { StepKind } from './step-kind.js';
import { STEP_ID, type StepParser } from './step-parser.js';

export const MAX_ITEMS = 1000;
const MAX_CONCURRENCY = 10;
/** This variable contains the index of the item, from 0. */
export const INDEX = 'index';

/** Describes the journal input of a loop. The list is evaluated once, when the loop begins. */
export interface LoopInput {
  items: unknown[];
}

export const FOR_EACH_STEP: StepKind<ForEachStep> = {
  marks: ['for_each'],
  hint: '"for_each"',
  keys: ['for_each', 'as', 'concurrency', 'steps', 'output'],
  staysOpen: true,

  parse: (given, path, parser) => ({
    for_each: parseItems(given.for_each, `${path}.for_each`, parser),
    ...(given.as !== undefined && { as: parseName(given.as, `${path}.as`, parser) }),
    ...(given.concurrency !== undefined && {
      concurrency: parseConcurrency(given.concurrency, `${path}.concurrency`, parser),
    }),
    steps: parser.nonEmptyList(given.steps, `${path}.steps`),
    ...(given.output !== undefined && { output: given.output }),
  }),

  check(step, path, checks) {
    checks.value(step.for_each, `${path}.for_each`);
    checks.name(itemName(step), `${path}.as`);
    // All nested loops set this name. The inner index hides the outer index, which is still in `<id>.index`.
    if (checks.hasStep(INDEX)) {
      checks.fault(path, `uses the variable "${INDEX}", but a step has that id`);
    }
  },

  lists(step) {
    const names = [itemName(step), INDEX, step.id];
    const loop = { names, longestPrefix: `${step.id}[${MAX_ITEMS - 1}].` };
    return [{ member: 'steps', steps: step.steps, loop, output: step.output }];
  },

  inside: (step, { status, input }) =>
    status === 'running'
      ? {
          count: (input as LoopInput).items.length,
          atOnce: step.concurrency ?? 1,
          isLoop: true,
          steps: () => iterationSteps(step),
        }
      : [],
};

const iterations = new WeakMap<ForEachStep, { steps: readonly Step[]; output?: SetStep }>();

/**
 * Returns the generated step that ends each iteration of a loop with `output`. It keeps the value of the item in the
 * journal. Ids of a definition contain no colon, so no other step can have its id.
 */
export function loopOutputStep(step: Step): SetStep | undefined {
  return 'for_each' in step ? iterationOf(step).output : undefined;
}

function iterationSteps(step: ForEachStep): readonly Step[] {
  return iterationOf(step).steps;
}

function iterationOf(step: ForEachStep): { steps: readonly Step[]; output?: SetStep } {
  const known = iterations.get(step);
  if (known) return known;
  const { id, output: value, steps } = step;
  const output = value === undefined ? undefined : { id: `${id}:output`, set: { value } };
  const made = output ? { steps: [...steps, output], output } : { steps };
  iterations.set(step, made);
  return made;
}

export function itemName(step: ForEachStep): string {
  return step.as ?? 'item';
}

function parseItems(given: unknown, path: string, parser: StepParser): string | unknown[] {
  if (Array.isArray(given)) {
    if (given.length > MAX_ITEMS) parser.fault(path, `must have at most ${MAX_ITEMS} items`);
    return given;
  }
  if (typeof given === 'string' && isDynamic(given)) return parser.text(given, path);
  parser.fault(path, 'must be a list, or an expression that gives one');
  return [];
}

function parseName(given: unknown, path: string, parser: StepParser): string {
  if (typeof given === 'string' && STEP_ID.test(given) && given !== INDEX) return given;
  parser.fault(path, `must match ${STEP_ID.source}, and not be "${INDEX}"`);
  return 'item';
}

function parseConcurrency(given: unknown, path: string, parser: StepParser): number {
  if (Number.isInteger(given) && Number(given) >= 1 && Number(given) <= MAX_CONCURRENCY) {
    return Number(given);
  }
  parser.fault(path, `must be a whole number from 1 to ${MAX_CONCURRENCY}`);
  return 1;
}
