import { isEmail } from 'class-validator';
import type { Fault } from '../../../errors/app-error.js';
import { didYouMean } from '../../../text/nearest-names.js';
import { type ValueRules, checkValue } from '../../../tools/schema/check-value.js';
import type { JsonSchema } from '../../../tools/schema/json-schema.js';
import type { OnError, Step } from '../definition.js';
import { type Json, checkKeys, isDynamic, isObject } from '../step-fields.js';
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

/** How often a step is tried, and the pauses in between: the first of `backoff_seconds`, each by the factor longer. */
export interface RetryPolicy {
  max_attempts?: number;
  backoff_seconds?: number;
  backoff_factor?: number;
}

/** Longest pause between two attempts, however it comes about. */
export const MAX_PAUSE_SECONDS = 3600;
/** What a tool gets that talks to systems outside. */
export const MAX_TIMEOUT_SECONDS = 300;
// Below the 30 s after which the database ends a transaction that does nothing.
export const MAX_INTERNAL_TIMEOUT_SECONDS = 25;

const MAX_ATTEMPTS = 10;
const MAX_FACTOR = 10;

export function parseRetry(given: unknown, path: string, faults: Fault[]): RetryPolicy | undefined {
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

export function parseTimeout(given: unknown, path: string, faults: Fault[]): number | undefined {
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

/** Only what tools judge in the same way: a definition must not be refused that its tools would take. */
const RULES: ValueRules = {
  formats: { email: { matches: (text) => isEmail(text), message: 'must be an email' } },
  isOpen: (value) => typeof value === 'string' && isDynamic(value),
};

/**
 * Adds a fault for everything in `value` that can never fit the schema. Text with an expression is not judged: what
 * it becomes is known only when the step runs, and checked again then.
 */
export function checkStatic(
  value: unknown,
  schema: JsonSchema,
  path: string,
  faults: Fault[],
): void {
  checkValue(value, schema, path, faults, RULES);
}
