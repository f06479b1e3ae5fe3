import { parseTimezone } from '../../../contacts/parse-field.js';
import { isJsonObject } from '../../../text/is-json-object.js';
import { parseTime } from '../../../text/parse-time.js';
import { WEEKDAYS } from '../calendar/cron.js';
import type { WaitStep, WaitUnit } from '../definition.js';
import { isLocalTime, isTimeOfDay } from '../calendar/local-time.js';
import { checkKeys, isDynamic, type Json } from '../step-fields.js';
import type { StepKind } from './step-kind.js';
import type { StepParser } from './step-parser.js';

export const MAX_WAIT_SECONDS = 366 * 86_400;
/** The length of each unit in seconds. Months are left out, because their lengths differ. */
export const UNIT_SECONDS: Record<Exclude<WaitUnit, 'months'>, number> = {
  seconds: 1,
  minutes: 60,
  hours: 3600,
  days: 86_400,
  weeks: 7 * 86_400,
};
const MAX_MONTHS = 12;

/** The accepted forms of `until` for error messages. */
export const TIMES_IN_WORDS =
  'an RFC 3339 time, a time of day such as 09:00, a local time such as 2030-01-31T09:00';

const NAMES = ['seconds', 'minutes', 'hours', 'days', 'weeks', 'months', 'until'] as const;
const UNTIL_OPTIONS = ['timezone', 'weekdays'];

export const WAIT_STEP: StepKind<WaitStep> = {
  marks: ['wait'],
  hint: '"wait"',
  keys: ['wait'],

  parse: (given, path, parser) => ({
    wait: parseWait(given.wait, `${path}.wait`, parser),
  }),

  check: (step, path, checks) => checks.value(step.wait, `${path}.wait`),
};

/** Returns the reason why the length of a wait is invalid, or undefined. A computed length may be 0. */
export function durationFault(
  unit: WaitUnit,
  amount: unknown,
  isComputed: boolean,
): string | undefined {
  const most = unit === 'months' ? MAX_MONTHS : Math.floor(MAX_WAIT_SECONDS / UNIT_SECONDS[unit]);
  const isNumber = typeof amount === 'number' && (unit !== 'months' || Number.isInteger(amount));
  if (isNumber && amount <= most && (amount > 0 || (isComputed && amount === 0))) return undefined;
  const number = unit === 'months' ? 'whole number' : 'number';
  return `must be a ${number} ${isComputed ? 'of at least' : 'above'} 0 and at most ${most}`;
}

/** Parses the value of `wait` or of a `timeout`. */
export function parseWait(wait: unknown, at: string, parser: StepParser): WaitStep['wait'] {
  if (!isJsonObject(wait)) {
    parser.fault(at, `must be an object with one of ${NAMES.join(', ')}`);
    return {};
  }
  const [name, ...more] = NAMES.filter((key) => Object.hasOwn(wait, key));
  checkKeys(wait, at, [...NAMES, ...optionsOf(name)], parser.faults);
  if (name === undefined || more.length > 0) {
    parser.fault(at, `needs exactly one of ${NAMES.join(', ')}`);
    return {};
  }
  if (name === 'until') return parseUntil(wait, at, parser);
  const amount = wait[name];
  const zone =
    wait.timezone === undefined
      ? {}
      : { timezone: parseZone(wait.timezone, `${at}.timezone`, parser) };
  if (typeof amount === 'string' && isDynamic(amount)) {
    return { [name]: parser.text(amount, `${at}.${name}`), ...zone };
  }
  const fault = durationFault(name, amount, false);
  if (fault !== undefined) {
    parser.fault(`${at}.${name}`, `${fault}, or an expression`);
    return {};
  }
  return { [name]: amount as number, ...zone };
}

/** Returns the members that a wait may have besides its length or its time. */
function optionsOf(name: string | undefined): readonly string[] {
  if (name === 'until') return UNTIL_OPTIONS;
  return name === 'months' ? ['timezone'] : [];
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
    parser.fault(`${at}.timezone`, 'needs a local time; this time already has a time zone');
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
