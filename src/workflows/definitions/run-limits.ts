import type { Fault } from '../../errors/app-error.js';
import { checkKeys, isObject, type Json } from './step-fields.js';

/** The limit that keeps a run in the queue: a debounce, the rate, the runs of its key, or all runs of the workflow. */
export type RunLimit = 'debounce' | 'rate' | 'key' | 'slot';

/** The limits of a workflow, in the form in which they are stored and shown. */
export interface RunLimits {
  concurrency?: ConcurrencyLimit;
  rate?: { runs: number; per_seconds: number };
  debounce?: DebounceLimit;
}

interface ConcurrencyLimit {
  /** The largest number of runs of the workflow at the same time. */
  runs?: number;
  /** The largest number of runs with the same key at the same time. */
  runs_per_key?: number;
  /** A Liquid expression on trigger.payload and contact. */
  key?: string;
}

interface DebounceLimit {
  /** The last start runs after so many seconds without another start. */
  seconds: number;
  /** The longest delay by repeated starts. */
  max_seconds: number;
  /** A Liquid expression on trigger.payload and contact: only starts with the same key delay each other. */
  key?: string;
}

const MAX_RUNS = 1000;
const DAY_SECONDS = 24 * 60 * 60;
const MAX_DEBOUNCE_SECONDS = 7 * DAY_SECONDS;
/** The default of `max_seconds` as a multiple of `seconds`. */
const DEFAULT_MAX_PERIODS = 10;
const MAX_KEY_CHARACTERS = 1024;

/** Parses limits. Adds every fault with its path; use the result only if there is no fault. */
export function parseRunLimits(given: unknown, path: string, faults: Fault[]): RunLimits {
  const limits = parseObject(given, path, ['concurrency', 'rate', 'debounce'], faults);
  const parsed: RunLimits = {};
  if (limits.concurrency !== undefined) {
    parsed.concurrency = parseConcurrency(limits.concurrency, `${path}.concurrency`, faults);
  }
  if (limits.rate !== undefined) parsed.rate = parseRate(limits.rate, `${path}.rate`, faults);
  if (limits.debounce !== undefined) {
    parsed.debounce = parseDebounce(limits.debounce, `${path}.debounce`, faults);
  }
  return parsed;
}

/** Returns the key expressions of limits with their paths. */
export function getLimitKeys(limits: RunLimits, path: string): [path: string, key: string][] {
  return (['concurrency', 'debounce'] as const).flatMap((name): [string, string][] => {
    const key = limits[name]?.key;
    return key === undefined ? [] : [[`${path}.${name}.key`, key]];
  });
}

function parseConcurrency(given: unknown, path: string, faults: Fault[]): ConcurrencyLimit {
  const limit = parseObject(given, path, ['runs', 'runs_per_key', 'key'], faults);
  const parsed: ConcurrencyLimit = {};
  if (limit.runs !== undefined) parsed.runs = parseWhole(limit, 'runs', path, MAX_RUNS, faults);
  if (limit.runs_per_key !== undefined) {
    parsed.runs_per_key = parseWhole(limit, 'runs_per_key', path, MAX_RUNS, faults);
  }
  if (limit.key !== undefined) parsed.key = parseKey(limit.key, `${path}.key`, faults);
  if (isObject(given) && (limit.key === undefined) !== (limit.runs_per_key === undefined)) {
    faults.push({ path, message: 'needs both key and runs_per_key, or neither' });
  } else if (isObject(given) && limit.runs === undefined && limit.runs_per_key === undefined) {
    faults.push({ path, message: 'needs runs, or key and runs_per_key' });
  }
  return parsed;
}

function parseRate(given: unknown, path: string, faults: Fault[]): RunLimits['rate'] {
  const rate = parseObject(given, path, ['runs', 'per_seconds'], faults);
  if (rate !== given) return undefined;
  return {
    runs: parseWhole(rate, 'runs', path, MAX_RUNS, faults),
    per_seconds: parseWhole(rate, 'per_seconds', path, DAY_SECONDS, faults),
  };
}

function parseDebounce(given: unknown, path: string, faults: Fault[]): DebounceLimit | undefined {
  const limit = parseObject(given, path, ['seconds', 'max_seconds', 'key'], faults);
  if (limit !== given) return undefined;
  const seconds = parseWhole(limit, 'seconds', path, DAY_SECONDS, faults);
  const parsed: DebounceLimit = {
    seconds,
    max_seconds:
      limit.max_seconds === undefined
        ? Math.min(seconds * DEFAULT_MAX_PERIODS, MAX_DEBOUNCE_SECONDS)
        : parseWhole(limit, 'max_seconds', path, MAX_DEBOUNCE_SECONDS, faults, seconds),
  };
  if (limit.key !== undefined) parsed.key = parseKey(limit.key, `${path}.key`, faults);
  return parsed;
}

function parseObject(
  given: unknown,
  path: string,
  known: readonly string[],
  faults: Fault[],
): Json {
  if (!isObject(given)) {
    faults.push({ path, message: `must be an object of ${known.join(', ')}` });
    return {};
  }
  checkKeys(given, path, known, faults);
  return given;
}

function parseWhole(
  given: Json,
  name: string,
  path: string,
  most: number,
  faults: Fault[],
  least = 1,
): number {
  const value = given[name];
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) {
    return value as number;
  }
  faults.push({
    path: `${path}.${name}`,
    message: `must be a whole number of ${least} to ${most}`,
  });
  return least;
}

/** Parses a key. The definition checker checks the expression itself. */
function parseKey(given: unknown, path: string, faults: Fault[]): string {
  // Text without an expression, such as "contact.id", would give all runs the same key by mistake.
  if (typeof given === 'string' && given.length <= MAX_KEY_CHARACTERS && given.includes('{{'))
    return given;
  const message = `must be text of at most ${MAX_KEY_CHARACTERS} characters with an expression, such as {{ contact.id }}`;
  faults.push({ path, message });
  return '';
}
