import type { Fault } from '../errors/app-error.js';
import { didYouMean } from '../tools/nearest-names.js';
import { parseTime } from '../tools/parse-time.js';

/** Calls a tool. `arguments` may hold Liquid expressions; `if` is a Liquid condition. */
export interface ToolStep {
  id: string;
  tool: string;
  arguments?: Record<string, unknown>;
  if?: string;
  on_error?: 'fail' | 'continue';
  retry?: { max_attempts?: number };
}

/** Runs one of two lists of steps. */
export interface BranchStep {
  id: string;
  if: string;
  then: Step[];
  else?: Step[];
}

export type WaitUnit = 'seconds' | 'minutes' | 'hours' | 'days';

/** Pauses the run for a time, or until one that is RFC 3339 text or an expression that gives such text. */
export interface WaitStep {
  id: string;
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
const MAX_ATTEMPTS = 10;
const KEYS = {
  tool: ['id', 'tool', 'arguments', 'if', 'on_error', 'retry'],
  branch: ['id', 'if', 'then', 'else'],
  wait: ['id', 'wait'],
};
// Known from other systems, so a plain answer helps more than a guess at the nearest name.
const UNSUPPORTED = [
  'for_each',
  'foreach',
  'loop',
  'parallel',
  'switch',
  'delay',
  'timeout',
  'delivery',
];

type Json = Record<string, unknown>;

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
  if (kind === 'tool') return parseTool(given, id, path, parse.faults);
  if (kind === 'wait') return parseWait(given, id, path, parse.faults);
  const otherwise =
    given.else === undefined ? undefined : parseList(given.else, `${path}.else`, depth + 1, parse);
  return {
    id,
    if: parseText(given.if, `${path}.if`, parse.faults) ?? '',
    then: parseList(given.then, `${path}.then`, depth + 1, parse),
    ...(otherwise && { else: otherwise }),
  };
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
  if (given.on_error === 'fail' || given.on_error === 'continue') step.on_error = given.on_error;
  else if (given.on_error !== undefined) {
    faults.push({ path: `${path}.on_error`, message: 'must be "fail" or "continue"' });
  }
  if (given.retry !== undefined) step.retry = parseRetry(given.retry, `${path}.retry`, faults);
  return step;
}

function parseRetry(given: unknown, path: string, faults: Fault[]): ToolStep['retry'] {
  if (!isObject(given)) {
    faults.push({ path, message: 'must be an object' });
    return undefined;
  }
  checkKeys(given, path, ['max_attempts'], faults);
  const attempts = given.max_attempts;
  if (attempts === undefined) return {};
  if (Number.isInteger(attempts) && Number(attempts) >= 1 && Number(attempts) <= MAX_ATTEMPTS) {
    return { max_attempts: Number(attempts) };
  }
  faults.push({
    path: `${path}.max_attempts`,
    message: `must be a whole number from 1 to ${MAX_ATTEMPTS}`,
  });
  return undefined;
}

function parseWait(given: Json, id: string, path: string, faults: Fault[]): WaitStep {
  const wait = given.wait;
  const at = `${path}.wait`;
  const names = ['seconds', 'minutes', 'hours', 'days', 'until'];
  if (!isObject(wait)) {
    faults.push({ path: at, message: `must be an object with one of ${names.join(', ')}` });
    return { id, wait: {} };
  }
  checkKeys(wait, at, names, faults);
  const [name, ...more] = Object.keys(wait).filter((key) => names.includes(key));
  if (name === undefined || more.length > 0) {
    faults.push({ path: at, message: `needs exactly one of ${names.join(', ')}` });
    return { id, wait: {} };
  }
  if (name === 'until')
    return { id, wait: { until: parseUntil(wait.until, `${at}.until`, faults) } };
  const amount = wait[name];
  const unit = name as WaitUnit;
  const most = MAX_WAIT_SECONDS / UNIT_SECONDS[unit];
  if (typeof amount !== 'number' || !(amount > 0) || amount > most) {
    faults.push({ path: `${at}.${name}`, message: `must be a number above 0 and at most ${most}` });
    return { id, wait: {} };
  }
  return { id, wait: { [unit]: amount } };
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

function checkKeys(given: Json, path: string, known: readonly string[], faults: Fault[]): void {
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    const message = UNSUPPORTED.includes(key)
      ? 'is not supported'
      : `is not known.${didYouMean(key, known)}`;
    faults.push({ path: `${path}.${key}`, message });
  }
}

/** True for text that holds a Liquid expression, so that its value is known only when the step runs. */
export function isDynamic(text: string): boolean {
  return text.includes('{{') || text.includes('{%');
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
