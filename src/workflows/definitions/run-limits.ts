import type { Fault } from '../../errors/app-error.js';
import { didYouMean } from '../../text/nearest-names.js';

/** What keeps a run in the queue: later starts, the rate, a run with the same key, or any run of the workflow. */
export type RunLimit = 'debounce' | 'rate' | 'key' | 'slot';

/** How many runs of a workflow go on at once, and how soon after each other. As it is stored and shown. */
export interface RunLimits {
  concurrency?: ConcurrencyLimit;
  rate?: { runs: number; per_seconds: number };
  debounce?: DebounceLimit;
}

interface ConcurrencyLimit {
  /** How many runs of the workflow may be running at once. */
  runs?: number;
  /** How many of those with the same key. */
  runs_per_key?: number;
  /** A Liquid expression on trigger.payload and contact. */
  key?: string;
}

interface DebounceLimit {
  /** How long no other start may come, so that the last one is carried out. */
  seconds: number;
  /** How long starts may put each other off. */
  max_seconds: number;
  /** A Liquid expression on trigger.payload and contact: only starts with the same key put each other off. */
  key?: string;
}

const MOST_RUNS = 1000;
const DAY = 24 * 60 * 60;
const MOST_DEBOUNCE = 7 * DAY;
/** How long starts may put each other off where nothing else is said, as a multiple of the period. */
const MAX_PERIODS = 10;
const LONGEST_KEY = 1024;

type Json = Record<string, unknown>;

/** Reads limits; adds every fault with its path, and then the result is not to be used. */
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

/** The expressions of limits, with their paths. */
export function limitKeys(limits: RunLimits, path: string): [path: string, key: string][] {
  return (['concurrency', 'debounce'] as const).flatMap((name): [string, string][] => {
    const key = limits[name]?.key;
    return key === undefined ? [] : [[`${path}.${name}.key`, key]];
  });
}

function parseConcurrency(given: unknown, path: string, faults: Fault[]): ConcurrencyLimit {
  const limit = parseObject(given, path, ['runs', 'runs_per_key', 'key'], faults);
  const parsed: ConcurrencyLimit = {};
  if (limit.runs !== undefined) parsed.runs = parseWhole(limit, 'runs', path, MOST_RUNS, faults);
  if (limit.runs_per_key !== undefined) {
    parsed.runs_per_key = parseWhole(limit, 'runs_per_key', path, MOST_RUNS, faults);
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
    runs: parseWhole(rate, 'runs', path, MOST_RUNS, faults),
    per_seconds: parseWhole(rate, 'per_seconds', path, DAY, faults),
  };
}

function parseDebounce(given: unknown, path: string, faults: Fault[]): DebounceLimit | undefined {
  const limit = parseObject(given, path, ['seconds', 'max_seconds', 'key'], faults);
  if (limit !== given) return undefined;
  const seconds = parseWhole(limit, 'seconds', path, DAY, faults);
  const parsed: DebounceLimit = {
    seconds,
    max_seconds:
      limit.max_seconds === undefined
        ? Math.min(seconds * MAX_PERIODS, MOST_DEBOUNCE)
        : parseWhole(limit, 'max_seconds', path, MOST_DEBOUNCE, faults, seconds),
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
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    faults.push({ path: `${path}.${key}`, message: `is not known.${didYouMean(key, known)}` });
  }
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

/** Whether the expression can be evaluated is for the checker of definitions to say. */
function parseKey(given: unknown, path: string, faults: Fault[]): string {
  // Without an expression all runs would have the same key: who writes "contact.id" wants something else.
  if (typeof given === 'string' && given.length <= LONGEST_KEY && given.includes('{{'))
    return given;
  const message = `must be text of at most ${LONGEST_KEY} characters with an expression, such as {{ contact.id }}`;
  faults.push({ path, message });
  return '';
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
