import { parseTime } from '../../tools/parse-time.js';
import type { OnError } from '../definition.js';
import { checkKeys, isDynamic, isObject } from '../step-fields.js';
import type { StepKind } from './step-kind.js';
import type { StepParser } from './step-parser.js';

export type WaitUnit = 'seconds' | 'minutes' | 'hours' | 'days';

/** Pauses the run for a time, or until one that is RFC 3339 text or an expression that gives such text. */
export interface WaitStep {
  id: string;
  if?: string;
  on_error?: OnError;
  wait: Partial<Record<WaitUnit, number>> & { until?: string };
}

export const MAX_WAIT_SECONDS = 366 * 86_400;
export const UNIT_SECONDS: Record<WaitUnit, number> = {
  seconds: 1,
  minutes: 60,
  hours: 3600,
  days: 86_400,
};

export const WAIT_STEP: StepKind<WaitStep> = {
  marks: ['wait'],
  hint: '"wait"',
  keys: ['wait', 'if'],

  parse: (given, path, parser) => ({
    ...parser.condition(given, path),
    wait: parseWait(given.wait, `${path}.wait`, parser),
  }),

  check(step, path, checks) {
    checks.condition(step.if, `${path}.if`);
    checks.text(step.wait.until ?? '', `${path}.wait.until`);
  },

  lists: () => [],
  inside: () => [],
};

function parseWait(wait: unknown, at: string, parser: StepParser): WaitStep['wait'] {
  const names = ['seconds', 'minutes', 'hours', 'days', 'until'];
  if (!isObject(wait)) {
    parser.fault(at, `must be an object with one of ${names.join(', ')}`);
    return {};
  }
  checkKeys(wait, at, names, parser.faults);
  const [name, ...more] = Object.keys(wait).filter((key) => names.includes(key));
  if (name === undefined || more.length > 0) {
    parser.fault(at, `needs exactly one of ${names.join(', ')}`);
    return {};
  }
  if (name === 'until') return { until: parseUntil(wait.until, `${at}.until`, parser) };
  const amount = wait[name];
  const unit = name as WaitUnit;
  const most = MAX_WAIT_SECONDS / UNIT_SECONDS[unit];
  if (typeof amount !== 'number' || !(amount > 0) || amount > most) {
    parser.fault(`${at}.${name}`, `must be a number above 0 and at most ${most}`);
    return {};
  }
  return { [unit]: amount };
}

function parseUntil(given: unknown, path: string, parser: StepParser): string {
  const text = parser.text(given, path);
  if (text !== '' && !isDynamic(text) && !parseTime(text)) {
    parser.fault(path, 'must be an RFC 3339 time or an expression');
  }
  return text;
}
