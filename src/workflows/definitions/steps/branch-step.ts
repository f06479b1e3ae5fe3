import type { OnError, Step } from '../definition.js';
import type { StepKind } from './step-kind.js';

/** Runs one of two lists of steps. */
export interface BranchStep {
  id: string;
  on_error?: OnError;
  if: string;
  then: Step[];
  else?: Step[];
}

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
    // Steps of a branch may not have run, so they are visible inside it only.
    for (const { member, steps } of this.lists(step)) checks.list(steps, `${path}.${member}`);
  },

  lists: (step) => [
    { member: 'then', steps: step.then },
    { member: 'else', steps: step.else ?? [] },
  ],

  inside: (step, { output }) => (branchOf(output) === 'then' ? step.then : (step.else ?? [])),
};

/** Which list of steps a branch chose, from its output in the journal. */
function branchOf(output: object | null | undefined): unknown {
  return output && 'branch' in output ? output.branch : undefined;
}
