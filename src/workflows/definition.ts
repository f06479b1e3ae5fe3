import type { Fault } from '../errors/app-error.js';
import { parseTime } from '../tools/parse-time.js';
import { checkKeys, isObject, type Json } from './step-fields.js';
import { parseRetry, parseTimeout, type RetryPolicy } from './step-options.js';

/** What becomes of a run whose step has failed: it fails too, goes on, or goes on after these steps. */
export type OnError = 'fail' | 'continue' | Step[];

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

/** Runs one of two lists of steps. */
export interface BranchStep {
  id: string;
  on_error?: OnError;
  if: string;
  then: Step[];
  else?: Step[];
}

export type WaitUnit = 'seconds' | 'minutes' | 'hours' | 'days';

/** Pauses the run for a time, or until one that is RFC 3339 text or an expression that gives such text. */
export interface WaitStep {
  id: string;
  if?: string;
  on_error?: OnError;
  wait: Partial<Record<WaitUnit, number>> & { until?: string };
}

export type Step = ToolStep | BranchStep | WaitStep;

export const MAX_STEPS = 100;
export const MAX_NESTING = 10;
export const MAX_WAIT_SECONDS = 366 * 86_400;
export const UNIT_SECONDS: Record<WaitUnit, number> = {
  seconds: 1,
  minutes: 60,
  hours: 3600,
  days: 86_400,
};

const STEP_ID = /^[a-z][a-z0-9_]{0,63}$/;
/** Names that a step's id would hide from expressions. A step may be called `contact`: it then means its contact. */
const RESERVED = new Set(['trigger', 'run', 'workflow']);
const MAX_TEXT = 10_000;
const KEYS = {
  tool: ['id', 'tool', 'arguments', 'if', 'on_error', 'retry', 'timeout'],
  branch: ['id', 'if', 'then', 'else', 'on_error'],
  wait: ['id', 'wait', 'if', 'on_error'],
};
interface Parse {
  faults: Fault[];
  ids: Set<string>;
  count: number;
}

export function isTool(step: Step): step is ToolStep {
  return 'tool' in step;
}

export function isWait(step: Step): step is WaitStep {
  return 'wait' in step;
}

/**
 * Reads a list of steps as far as its form goes: keys, types, ids, limits. Adds every fault with its path; the
 * result is to be used only if there is none.
 */
export function parseSteps(given: unknown, faults: Fault[], path = 'steps'): Step[] {
  const parse: Parse = { faults, ids: new Set(), count: 0 };
  const steps = parseList(given, path, 1, parse);
  if (parse.count > MAX_STEPS) {
    faults.push({ path, message: `must hold at most ${MAX_STEPS} steps, nested ones included` });
  }
  return steps;
}

function parseList(given: unknown, path: string, depth: number, parse: Parse): Step[] {
  if (!Array.isArray(given)) {
    parse.faults.push({ path, message: 'must be a list of steps' });
    return [];
  }
  if (depth > MAX_NESTING) {
    parse.faults.push({ path, message: `is nested deeper than ${MAX_NESTING}` });
    return [];
  }
  parse.count += given.length;
  // Beyond the limit every step would only add to the faults.
  return given
    .slice(0, MAX_STEPS + 1)
    .map((step, index) => parseStep(step, `${path}[${index}]`, depth, parse))
    .filter((step) => step !== undefined);
}

function parseStep(given: unknown, path: string, depth: number, parse: Parse): Step | undefined {
  if (!isObject(given)) {
    parse.faults.push({ path, message: 'must be an object' });
    return undefined;
  }
  const kind = kindOf(given);
  if (!kind) {
    const known = [...KEYS.tool, ...KEYS.branch, ...KEYS.wait];
    checkKeys(given, path, known, parse.faults);
    parse.faults.push({ path, message: 'needs "tool", "wait", or "if" with "then"' });
    return undefined;
  }
  checkKeys(given, path, KEYS[kind], parse.faults);
  const id = parseId(given.id, `${path}.id`, parse);
  const onError = parseOnError(given.on_error, `${path}.on_error`, depth, parse);
  const more = onError === undefined ? {} : { on_error: onError };
  if (kind === 'tool') return { ...parseTool(given, id, path, parse.faults), ...more };
  if (kind === 'wait') return { ...parseWait(given, id, path, parse.faults), ...more };
  const otherwise =
    given.else === undefined ? undefined : parseList(given.else, `${path}.else`, depth + 1, parse);
  return {
    id,
    if: parseText(given.if, `${path}.if`, parse.faults) ?? '',
    then: parseList(given.then, `${path}.then`, depth + 1, parse),
    ...(otherwise && { else: otherwise }),
    ...more,
  };
}

function parseOnError(
  given: unknown,
  path: string,
  depth: number,
  parse: Parse,
): OnError | undefined {
  if (given === undefined || given === 'fail' || given === 'continue') return given;
  if (Array.isArray(given)) return parseList(given, path, depth + 1, parse);
  parse.faults.push({ path, message: 'must be "fail", "continue" or a list of steps' });
  return undefined;
}

function kindOf(step: Json): keyof typeof KEYS | undefined {
  if (Object.hasOwn(step, 'tool')) return 'tool';
  if (Object.hasOwn(step, 'wait')) return 'wait';
  return Object.hasOwn(step, 'then') || Object.hasOwn(step, 'else') ? 'branch' : undefined;
}

function parseId(given: unknown, path: string, parse: Parse): string {
  if (typeof given !== 'string' || !STEP_ID.test(given)) {
    const message = given === undefined ? 'is required' : `must match ${STEP_ID.source}`;
    parse.faults.push({ path, message });
    return '';
  }
  if (RESERVED.has(given)) {
    parse.faults.push({ path, message: `must not be "${given}": expressions use that name` });
  } else if (parse.ids.has(given)) {
    parse.faults.push({ path, message: `"${given}" is the id of another step` });
  }
  parse.ids.add(given);
  return given;
}

function parseTool(given: Json, id: string, path: string, faults: Fault[]): ToolStep {
  const step: ToolStep = { id, tool: parseText(given.tool, `${path}.tool`, faults) ?? '' };
  if (given.arguments !== undefined) {
    if (isObject(given.arguments)) step.arguments = given.arguments;
    else faults.push({ path: `${path}.arguments`, message: 'must be an object' });
  }
  if (given.if !== undefined) step.if = parseText(given.if, `${path}.if`, faults);
  if (given.retry !== undefined) step.retry = parseRetry(given.retry, `${path}.retry`, faults);
  if (given.timeout !== undefined) {
    step.timeout = parseTimeout(given.timeout, `${path}.timeout`, faults);
  }
  return step;
}

function parseWait(given: Json, id: string, path: string, faults: Fault[]): WaitStep {
  const wait = parseDuration(given.wait, `${path}.wait`, faults);
  if (given.if === undefined) return { id, wait };
  return { id, if: parseText(given.if, `${path}.if`, faults), wait };
}

function parseDuration(wait: unknown, at: string, faults: Fault[]): WaitStep['wait'] {
  const names = ['seconds', 'minutes', 'hours', 'days', 'until'];
  if (!isObject(wait)) {
    faults.push({ path: at, message: `must be an object with one of ${names.join(', ')}` });
    return {};
  }
  checkKeys(wait, at, names, faults);
  const [name, ...more] = Object.keys(wait).filter((key) => names.includes(key));
  if (name === undefined || more.length > 0) {
    faults.push({ path: at, message: `needs exactly one of ${names.join(', ')}` });
    return {};
  }
  if (name === 'until') return { until: parseUntil(wait.until, `${at}.until`, faults) };
  const amount = wait[name];
  const unit = name as WaitUnit;
  const most = MAX_WAIT_SECONDS / UNIT_SECONDS[unit];
  if (typeof amount !== 'number' || !(amount > 0) || amount > most) {
    faults.push({ path: `${at}.${name}`, message: `must be a number above 0 and at most ${most}` });
    return {};
  }
  return { [unit]: amount };
}

function parseUntil(given: unknown, path: string, faults: Fault[]): string {
  const text = parseText(given, path, faults) ?? '';
  if (text !== '' && !isDynamic(text) && !parseTime(text)) {
    faults.push({ path, message: 'must be an RFC 3339 time or an expression' });
  }
  return text;
}

function parseText(given: unknown, path: string, faults: Fault[]): string | undefined {
  if (typeof given === 'string' && given.trim() !== '' && given.length <= MAX_TEXT) return given;
  const message =
    given === undefined ? 'is required' : `must be text of 1 to ${MAX_TEXT} characters`;
  faults.push({ path, message });
  return undefined;
}

/** True for text that holds a Liquid expression, so that its value is known only when the step runs. */
export function isDynamic(text: string): boolean {
  return text.includes('{{') || text.includes('{%');
}
