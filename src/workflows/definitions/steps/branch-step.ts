import type { BranchStep } from '../definition.js';
import type { StepKind } from './step-kind.js';

export const BRANCH_STEP: StepKind<BranchStep> = {
  marks: ['then', 'else'],
  hint: '"if" with "then"',
  keys: ['if', 'then', 'else'],

  parse(given, path, parser) {
    const otherwise =
      given.else === undefined ? undefined : parser.list(given.else, `${path}.else`);
    return {
      if: parser.text(given.if, `${path}.if`),
      then: parser.list(given.then, `${path}.then`),
      ...(otherwise && { else: otherwise }),
    };
  },

  check(step, path, checks) {
    checks.condition(step.if, `${path}.if`);
    // Steps of a branch have not always run, so they are visible inside the branch only.
    for (const { member, steps } of this.lists(step)) checks.list(steps, `${path}.${member}`);
  },

  lists: (step) => [
    { member: 'then', steps: step.then },
    { member: 'else', steps: step.else ?? [] },
  ],

  inside: (step, { output }) => (branchOf(output) === 'then' ? step.then : (step.else ?? [])),
};

/** Reads from the journal output which list of steps the branch chose. */
function branchOf(output: object | null | undefined): unknown {
  return output && 'branch' in output ? output.branch : undefined;
}
