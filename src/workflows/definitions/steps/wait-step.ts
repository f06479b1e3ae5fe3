import { parseTimezone } from '../../../contacts/parse-field.js';
import { parseTime } from '../../../text/parse-time.js';
import { WEEKDAYS } from '../calendar/cron.js';
import type { WaitStep, WaitUnit } from '../definition.js';
import { isLocalTime, isTimeOfDay } from '../calendar/local-time.js';
import { checkKeys, isDynamic, isObject, type Json } from '../step-fields.js';
import type { StepKind } from './step-kind.js';
import type { StepParser } from './step-parser.js';

export const MAX_WAIT_SECONDS = 366 * 86_400;
export const UNIT_SECONDS: Record<WaitUnit, number> = {
  seconds: 1,
  minutes: 60,
  hours: 3600,
  days: 86_400,
};

/** Lists the accepted forms of `until` for error messages. */
export const TIMES_IN_WORDS =
  'an RFC 3339 time, a time of day such as 09:00, a local time such as 2030-01-31T09:00';

const NAMES = ['seconds', 'minutes', 'hours', 'days', 'until'] as const;
const UNTIL_OPTIONS = ['timezone', 'weekdays'];

export const WAIT_STEP: StepKind<WaitStep> = {
  marks: ['wait'],
  hint: '"wait"',
  keys: ['wait'],

  parse: (given, path, parser) => ({
    wait: parseWait(given.wait, `${path}.wait`, parser),
  }),

  check(step, path, checks) {
    checks.text(step.wait.until ?? '', `${path}.wait.until`);
    checks.text(step.wait.timezone ?? '', `${path}.wait.timezone`);
  },
};

/** Parses the value of `wait` or of a `timeout`. */
export function parseWait(wait: unknown, at: string, parser: StepParser): WaitStep['wait'] {
  if (!isObject(wait)) {
    parser.fault(at, `must be an object with one of ${NAMES.join(', ')}`);
    return {};
  }
  const [name, ...more] = NAMES.filter((key) => Object.hasOwn(wait, key));
  checkKeys(wait, at, name === 'until' ? [...NAMES, ...UNTIL_OPTIONS] : NAMES, parser.faults);
  if (name === undefined || more.length > 0) {
    parser.fault(at, `needs exactly one of ${NAMES.join(', ')}`);
    return {};
  }
  if (name === 'until') return parseUntil(wait, at, parser);
  const amount = wait[name];
  const most = MAX_WAIT_SECONDS / UNIT_SECONDS[name];
  if (typeof amount !== 'number' || !(amount > 0) || amount > most) {
    parser.fault(`${at}.${name}`, `must be a number above 0 and at most ${most}`);
    return {};
  }
  return { [name]: amount };
}

function parseUntil(wait: Json, at: string, parser: StepParser): WaitStep['wait'] {
  const until = parser.text(wait.until, `${at}.until`);
  const isOpen = until === '' || isDynamic(until);
  if (!isOpen && !parseTime(until) && !isLocalTime(until)) {
    const message = `must be ${TIMES_IN_WORDS}, or an expression`;
    parser.fault(`${at}.until`, message);
  }
  const { timezone, weekdays } = wait;
  if (timezone !== undefined && !isOpen && !isLocalTime(until)) {
    parser.fault(`${at}.timezone`, 'needs a local time; this time already has a timezone');
  }
  if (weekdays !== undefined && !isOpen && !isTimeOfDay(until)) {
    parser.fault(`${at}.weekdays`, 'needs a time of day in until');
  }
  return {
    until,
    ...(timezone !== undefined && { timezone: parseZone(timezone, `${at}.timezone`, parser) }),
    ...(weekdays !== undefined && { weekdays: parseWeekdays(weekdays, `${at}.weekdays`, parser) }),
  };
}

function parseZone(given: unknown, path: string, parser: StepParser): string {
  const text = parser.text(given, path);
  if (text === '' || isDynamic(text)) return text;
  const zone = parseTimezone(text);
  if ('fault' in zone) parser.fault(path, `${zone.fault}, or an expression`);
  return text;
}

function parseWeekdays(given: unknown, path: string, parser: StepParser): string[] {
  const isList = Array.isArray(given) && given.length > 0 && new Set(given).size === given.length;
  if (isList && given.every((day) => WEEKDAYS.includes(day as string))) return given as string[];
  parser.fault(path, `must be a list of some of ${WEEKDAYS.join(', ')}, each once`);
  return [];
}
