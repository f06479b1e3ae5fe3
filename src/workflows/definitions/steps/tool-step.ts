import { didYouMean } from '../../../text/nearest-names.js';
import type { OnError, Step } from '../definition.js';
import { checkStatic } from '../static-arguments.js';
import { isObject } from '../step-fields.js';
import {
  MAX_INTERNAL_TIMEOUT_SECONDS,
  parseRetry,
  parseTimeout,
  type RetryPolicy,
} from '../step-options.js';
import type { StepChecks } from './step-checks.js';
import type { StepKind } from './step-kind.js';

/** Calls a tool. `arguments` may hold Liquid expressions; `if` is a Liquid condition; `timeout` is in seconds. */
export interface ToolStep {
  id: string;
  tool: string;
  arguments?: Record<string, unknown>;
  if?: string;
  on_error?: OnError;
  retry?: RetryPolicy;
  timeout?: number;
}

export const TOOL_STEP: StepKind<ToolStep> = {
  marks: ['tool'],
  hint: '"tool"',
  keys: ['tool', 'arguments', 'if', 'retry', 'timeout'],
  waitReason: 'retry',

  parse(given, path, parser) {
    const step: Omit<ToolStep, 'id'> = { tool: parser.text(given.tool, `${path}.tool`) };
    if (given.arguments !== undefined) {
      if (isObject(given.arguments)) step.arguments = given.arguments;
      else parser.fault(`${path}.arguments`, 'must be an object');
    }
    Object.assign(step, parser.condition(given, path));
    if (given.retry !== undefined) {
      step.retry = parseRetry(given.retry, `${path}.retry`, parser.faults);
    }
    if (given.timeout !== undefined) {
      step.timeout = parseTimeout(given.timeout, `${path}.timeout`, parser.faults);
    }
    return step;
  },

  check(step, path, checks) {
    checks.condition(step.if, `${path}.if`);
    checks.value(step.arguments ?? {}, `${path}.arguments`);
    checkTool(step, path, checks);
  },

  lists: () => [],
  inside: () => [],
};

export function isTool(step: Step): step is ToolStep {
  return 'tool' in step;
}

function checkTool(step: ToolStep, path: string, checks: StepChecks): void {
  const tool = checks.tools.find(step.tool);
  if (!tool) {
    const near = didYouMean(step.tool, checks.tools.names());
    if (step.tool !== '') {
      checks.fault(`${path}.tool`, `"${step.tool}" is not a tool for steps.${near}`);
    }
    return;
  }
  checkStatic(step.arguments ?? {}, tool.inputSchema, `${path}.arguments`, checks.faults);
  if (!tool.annotations.openWorldHint && (step.timeout ?? 0) > MAX_INTERNAL_TIMEOUT_SECONDS) {
    const message = `must be at most ${MAX_INTERNAL_TIMEOUT_SECONDS}: "${step.tool}" talks to no system outside`;
    checks.fault(`${path}.timeout`, message);
  }
  if (checks.tools.needsPerson(step.tool)) {
    const message = `"${step.tool}" must be confirmed each time, so only a person may make it a step`;
    checks.fault(`${path}.tool`, message);
  }
}
