import { FaultList } from '../../errors/fault-list.js';
import { isJsonObject } from '../../text/is-json-object.js';
import { checkValue } from '../../tools/schema/check-value.js';
import type { JsonSchema } from '../../tools/schema/json-schema.js';

/**
 * The limit that delays a run: a debounce, the rate, the runs of its key, or all runs of the workflow. `turn` means
 * that the rate has a place for the run, but the key of the run has no free slot. When the key has a free slot, the
 * rate is checked again.
 */
export type RunLimit = 'debounce' | 'rate' | 'turn' | 'key' | 'slot';

/** The limits of a workflow, as they are stored and shown. */
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
  /** The seconds that must pass without another start before the run of the last start begins. */
  seconds: number;
  /** The largest number of seconds by which repeated starts delay a run. */
  max_seconds: number;
  /**
   * A Liquid expression on `trigger.payload` and `contact`. A new start replaces only the waiting starts for which this
   * expression has the same result.
   */
  key?: string;
}

const DAY_SECONDS = 24 * 60 * 60;
const MAX_DEBOUNCE_SECONDS = 7 * DAY_SECONDS;
/** The default of `max_seconds`, as a multiple of `seconds`. */
const DEFAULT_MAX_PERIODS = 10;

const RUNS: JsonSchema = { type: 'integer', minimum: 1, maximum: 1000 };
const SECONDS: JsonSchema = { type: 'integer', minimum: 1, maximum: DAY_SECONDS };
const KEY: JsonSchema = { type: 'string', maxLength: 1024 };
const SCHEMA = closedObject({
  concurrency: closedObject({ runs: RUNS, runs_per_key: RUNS, key: KEY }),
  rate: closedObject({ runs: RUNS, per_seconds: SECONDS }, ['runs', 'per_seconds']),
  debounce: closedObject(
    { seconds: SECONDS, max_seconds: { ...SECONDS, maximum: MAX_DEBOUNCE_SECONDS }, key: KEY },
    ['seconds'],
  ),
});

/** Parses limits. Adds every fault with its path. If there are faults, the result must not be used. */
export function parseRunLimits(given: unknown, path: string, faults: FaultList): RunLimits {
  const found = new FaultList();
  const limits = checkValue(SCHEMA, given, path, found) as RunLimits;
  if (found.length === 0) checkCombinations(limits, path, found);
  faults.append(found);
  if (found.length > 0) return pickKeys(limits);
  const { debounce } = limits;
  if (!debounce || debounce.max_seconds !== undefined) return limits;
  const max = Math.min(debounce.seconds * DEFAULT_MAX_PERIODS, MAX_DEBOUNCE_SECONDS);
  return { ...limits, debounce: { ...debounce, max_seconds: max } };
}

export function getLimitKeys(limits: RunLimits, path: string): [path: string, key: string][] {
  return (['concurrency', 'debounce'] as const).flatMap((name): [string, string][] => {
    const key = limits[name]?.key;
    return key === undefined ? [] : [[`${path}.${name}.key`, key]];
  });
}

/**
 * Returns the keys of limits that have faults. The expressions of these keys are checked later, so that one response
 * lists all faults.
 */
function pickKeys(limits: unknown): RunLimits {
  if (!isJsonObject(limits)) return {};
  const sections = ['concurrency', 'debounce'].flatMap((name) => {
    const section = limits[name];
    return isJsonObject(section) && typeof section.key === 'string'
      ? [[name, { key: section.key }]]
      : [];
  });
  return Object.fromEntries(sections) as RunLimits;
}

function checkCombinations(limits: RunLimits, path: string, faults: FaultList): void {
  const { concurrency, debounce } = limits;
  if (concurrency) {
    const at = `${path}.concurrency`;
    const { runs, key, runs_per_key: runsPerKey } = concurrency;
    if ((key === undefined) !== (runsPerKey === undefined)) {
      faults.push({ path: at, message: 'needs both key and runs_per_key, or neither' });
    } else if (runs === undefined && runsPerKey === undefined) {
      faults.push({ path: at, message: 'needs runs, or key and runs_per_key' });
    }
  }
  if (debounce && debounce.max_seconds < debounce.seconds) {
    faults.push({ path: `${path}.debounce.max_seconds`, message: 'must be at least seconds' });
  }
  for (const [at, key] of getLimitKeys(limits, path)) {
    // Text without an expression, such as "contact.id", would give all runs the same key by mistake.
    if (key.includes('{{')) continue;
    faults.push({ path: at, message: 'must contain an expression, such as {{ contact.id }}' });
  }
}

function closedObject(properties: Record<string, JsonSchema>, required: string[] = []): JsonSchema {
  return { type: 'object', additionalProperties: false, properties, required };
}
