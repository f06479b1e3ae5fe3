import { isJsonObject } from '../../../text/is-json-object.js';
import type { OnParentEnd, RunWorkflowStep } from '../definition.js';
import { isDynamic } from '../step-fields.js';
import type { StepChecks } from './step-checks.js';
import type { StepKind } from './step-kind.js';
import type { StepParser } from './step-parser.js';
import { parseRetry } from './retry-policy.js';
import { parseWait } from './wait-step.js';

export const RUN_WORKFLOW_STEP: StepKind<RunWorkflowStep> = {
  marks: ['run_workflow'],
  hint: '"run_workflow"',
  keys: ['run_workflow', 'payload', 'contact_id', 'wait', 'timeout', 'on_parent_end', 'retry'],

  parse(given, path, parser) {
    const step: Omit<RunWorkflowStep, 'id'> = {
      run_workflow: parser.text(given.run_workflow, `${path}.run_workflow`),
    };
    if (given.payload !== undefined) {
      if (isJsonObject(given.payload)) step.payload = given.payload;
      else parser.fault(`${path}.payload`, 'must be an object');
    }
    if (given.contact_id !== undefined) {
      step.contact_id = parser.text(given.contact_id, `${path}.contact_id`);
    }
    if (given.wait !== undefined) {
      if (typeof given.wait === 'boolean') step.wait = given.wait;
      else parser.fault(`${path}.wait`, 'must be true or false');
    }
    if (given.timeout !== undefined) {
      step.timeout = parseWait(given.timeout, `${path}.timeout`, parser);
      if (step.wait === false) {
        parser.fault(`${path}.timeout`, 'has no meaning with "wait": false');
      }
    }
    if (given.on_parent_end !== undefined) {
      step.on_parent_end = parseOnParentEnd(given.on_parent_end, `${path}.on_parent_end`, parser);
      if (step.wait === false) {
        parser.fault(`${path}.on_parent_end`, 'has no meaning with "wait": false');
      }
    }
    if (given.retry !== undefined) step.retry = parseRetry(given.retry, path, parser);
    return step;
  },

  check(step, path, checks) {
    checks.text(step.run_workflow, `${path}.run_workflow`);
    if (isUnknown(step, checks)) {
      checks.fault(`${path}.run_workflow`, `there is no workflow "${step.run_workflow}"`);
    }
    const { runRefusal } = checks.tools;
    if (runRefusal !== undefined) checks.fault(`${path}.run_workflow`, runRefusal);
    checks.value(step.payload ?? {}, `${path}.payload`);
    checks.text(step.contact_id ?? '', `${path}.contact_id`);
    checks.value(step.timeout ?? {}, `${path}.timeout`);
  },

  // A step without an output waits for its next attempt.
  waitReason: ({ output }) => (output ? 'event' : 'retry'),
};

function parseOnParentEnd(given: unknown, path: string, parser: StepParser): OnParentEnd {
  if (given === 'cancel' || given === 'continue') return given;
  parser.fault(path, 'must be "cancel" or "continue"');
  return 'cancel';
}

/** Returns all workflow ids in a definition. The definition may be invalid, because it is checked later. */
export function workflowsNamedIn(given: unknown): string[] {
  if (typeof given !== 'object' || given === null) return [];
  const { run_workflow: id } = given as Partial<RunWorkflowStep>;
  const own = typeof id === 'string' && isWorkflowId(id) ? [id] : [];
  return [...own, ...Object.values(given).flatMap(workflowsNamedIn)];
}

export function isWorkflowId(id: string): boolean {
  return /^[0-9A-Za-z]{32}$/.test(id);
}

function isUnknown({ run_workflow: id }: RunWorkflowStep, checks: StepChecks): boolean {
  return id !== '' && !isDynamic(id) && !checks.tools.workflows.has(id);
}

export function isRunWorkflow(step: object): step is RunWorkflowStep {
  return 'run_workflow' in step;
}
