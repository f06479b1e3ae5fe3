import type { Fault } from '../../../errors/app-error.js';
import { didYouMean } from '../../../text/nearest-names.js';
import { checkValue } from '../../../tools/schema/check-value.js';
import type { JsonSchema } from '../../../tools/schema/json-schema.js';
import type { RetryPolicy, Step, ToolStep } from '../definition.js';
import { type Json, checkKeys, isDynamic, isObject } from '../step-fields.js';
import type { StepChecks } from './step-checks.js';
import type { StepKind } from './step-kind.js';

/** The longest pause between two attempts, including one that a tool asked for. */
export const MAX_PAUSE_SECONDS = 3600;
/** The longest timeout of a tool that calls systems outside. */
const MAX_TIMEOUT_SECONDS = 300;
/** The longest timeout of any other tool. The database ends a transaction that is idle for 30 s. */
export const MAX_INTERNAL_TIMEOUT_SECONDS = 25;

const MAX_ATTEMPTS = 10;
const MAX_FACTOR = 10;

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

function parseRetry(given: unknown, path: string, faults: Fault[]): RetryPolicy | undefined {
  if (!isObject(given)) {
    faults.push({ path, message: 'must be an object' });
    return undefined;
  }
  checkKeys(given, path, ['max_attempts', 'backoff_seconds', 'backoff_factor'], faults);
  const attempts = given.max_attempts;
  if (attempts !== undefined && !isWithin(attempts, 1, MAX_ATTEMPTS, Number.isInteger)) {
    faults.push({
      path: `${path}.max_attempts`,
      message: `must be a whole number from 1 to ${MAX_ATTEMPTS}`,
    });
  }
  checkNumber(given, 'backoff_seconds', 0, MAX_PAUSE_SECONDS, path, faults);
  checkNumber(given, 'backoff_factor', 1, MAX_FACTOR, path, faults);
  return given;
}

function parseTimeout(given: unknown, path: string, faults: Fault[]): number | undefined {
  if (isWithin(given, 1, MAX_TIMEOUT_SECONDS)) return given;
  faults.push({ path, message: `must be a number of seconds from 1 to ${MAX_TIMEOUT_SECONDS}` });
  return undefined;
}

function checkNumber(
  given: Json,
  name: string,
  least: number,
  most: number,
  path: string,
  faults: Fault[],
): void {
  if (given[name] === undefined || isWithin(given[name], least, most)) return;
  faults.push({ path: `${path}.${name}`, message: `must be a number from ${least} to ${most}` });
}

function isWithin(
  value: unknown,
  least: number,
  most: number,
  fits: (value: number) => boolean = Number.isFinite,
): value is number {
  return typeof value === 'number' && fits(value) && value >= least && value <= most;
}

/**
 * Adds a fault for everything in `value` that can never match the schema. Text with an expression is skipped: its value
 * is checked when the step runs.
 */
export function checkStatic(
  value: unknown,
  schema: JsonSchema,
  path: string,
  faults: Fault[],
): void {
  checkValue(schema, value, path, faults, (item) => typeof item === 'string' && isDynamic(item));
}
