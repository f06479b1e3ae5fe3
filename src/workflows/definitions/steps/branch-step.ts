import type { BranchStep } from '../definition.js';
import type { StepKind } from './step-kind.js';

export const BRANCH_STEP: StepKind<BranchStep> = {
  marks: ['then', 'else'],
  hint: '"if" with "then"',
  keys: ['then', 'else'],

  parse(given, path, parser) {
    if (given.if === undefined) parser.fault(`${path}.if`, 'is required');
    const otherwise = given.else !== undefined && parser.list(given.else, `${path}.else`);
    return {
      then: parser.list(given.then, `${path}.then`),
      ...(otherwise && { else: otherwise }),
    };
  },

  lists: (step) => [
    { member: 'then', steps: step.then },
    { member: 'else', steps: step.else ?? [] },
  ],

  inside: (step, { output }) => (branchOf(output) === 'then' ? step.then : (step.else ?? [])),
};

/** Returns the list of steps that the branch chose, from its journal output. */
function branchOf(output: object | null | undefined): unknown {
  return output && 'branch' in output ? output.branch : undefined;
}
