import type { ParallelStep } from '../definition.js';
import type { StepKind } from './step-kind.js';

const MIN_LISTS = 2;
const MAX_LISTS = 10;

export const PARALLEL_STEP: StepKind<ParallelStep> = {
  marks: ['parallel'],
  hint: '"parallel"',
  keys: ['parallel'],

  parse(given, path, parser) {
    const lists: unknown = given.parallel;
    if (!Array.isArray(lists) || lists.length < MIN_LISTS || lists.length > MAX_LISTS) {
      const message = `must be a list of ${MIN_LISTS} to ${MAX_LISTS} lists of steps`;
      parser.fault(`${path}.parallel`, message);
      return { parallel: [] };
    }
    return {
      parallel: lists.map((list, index) => parser.nonEmptyList(list, `${path}.parallel[${index}]`)),
    };
  },

  lists: (step) => step.parallel.map((steps, index) => ({ member: `parallel[${index}]`, steps })),

  inside: ({ parallel }) => ({
    count: parallel.length,
    atOnce: parallel.length,
    isLoop: false,
    steps: (lane) => parallel[lane]!,
  }),

  leaves: (step) => (step.if === undefined ? step.parallel.flat() : []),
};
