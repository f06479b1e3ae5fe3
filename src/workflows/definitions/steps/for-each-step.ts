import type { ForEachStep } from '../definition.js';
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
  keys: ['for_each', 'as', 'concurrency', 'steps'],
  staysOpen: true,

  parse: (given, path, parser) => ({
    for_each: parseItems(given.for_each, `${path}.for_each`, parser),
    ...(given.as !== undefined && { as: parseName(given.as, `${path}.as`, parser) }),
    ...(given.concurrency !== undefined && {
      concurrency: parseConcurrency(given.concurrency, `${path}.concurrency`, parser),
    }),
    steps: parser.nonEmptyList(given.steps, `${path}.steps`),
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
    return [{ member: 'steps', steps: step.steps, loop }];
  },

  inside: (step, { status, input }) =>
    status === 'running'
      ? {
          count: (input as LoopInput).items.length,
          atOnce: step.concurrency ?? 1,
          isLoop: true,
          steps: () => step.steps,
        }
      : [],
};

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
