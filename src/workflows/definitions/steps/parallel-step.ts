import type { ParallelStep, Step } from '../definition.js';
import type { StepKind } from './step-kind.js';
import type { StepParser } from './step-parser.js';

const MIN_LISTS = 2;
const MAX_LISTS = 10;

export const PARALLEL_STEP: StepKind<ParallelStep> = {
  marks: ['parallel'],
  hint: '"parallel"',
  keys: ['parallel'],

  parse: (given, path, parser) => ({
    parallel: parseLists(given.parallel, `${path}.parallel`, parser),
  }),

  lists: (step) => step.parallel.map((steps, index) => ({ member: `parallel[${index}]`, steps })),

  inside: ({ parallel }) => ({
    count: parallel.length,
    atOnce: parallel.length,
    isLoop: false,
    steps: (lane) => parallel[lane]!,
  }),

  leaves: (step) => (step.if === undefined ? step.parallel.flat() : []),
};

/** Parses lists of steps that run at the same time. Returns no list after a fault. */
export function parseLists(given: unknown, path: string, parser: StepParser): Step[][] {
  if (!Array.isArray(given) || given.length < MIN_LISTS || given.length > MAX_LISTS) {
    parser.fault(path, `must be a list of ${MIN_LISTS} to ${MAX_LISTS} lists of steps`);
    return [];
  }
  return given.map((list, index) => parser.nonEmptyList(list, `${path}[${index}]`));
}
