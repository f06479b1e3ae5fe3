import { ZoneClock } from './zone-clock.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The longest search for the next time, in days. Two leap days can be eight years apart. */
const MAX_SEARCH_DAYS = 9 * 366;
/** The largest number of characters of an expression. */
export const MAX_CRON_CHARACTERS = 200;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** The names that can stand for values, such as `jan`. The first name stands for `min`. */
  readonly names: readonly string[];
}

const FIELDS: readonly Field[] = [
  { name: 'minute', min: 0, max: 59, names: [] },
  { name: 'hour', min: 0, max: 23, names: [] },
  { name: 'day of the month', min: 1, max: 31, names: [] },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  { name: 'day of the week', min: 0, max: 7, names: WEEKDAYS },
];

type FiveLists = [number[], number[], number[], number[], number[]];

/**
 * Evaluates a cron expression: minute, hour, day of the month, month, day of the week. Each is `*`, a value, a range or
 * a list, with an optional step. When both day fields are limited, a day matches if it matches at least one of them.
 */
export class Cron {
  private constructor(
    private readonly minutes: readonly number[],
    private readonly hours: readonly number[],
    private readonly days: readonly number[],
    private readonly months: readonly number[],
    private readonly weekdays: readonly number[],
    private readonly matchesEitherDay: boolean,
  ) {}

  /**
   * Parses an expression, or returns the reason why it is invalid. SQL of a tool can store a text of any length, so the
   * length is checked first.
   */
  static parse(text: string): Cron | { fault: string } {
    if (text.length > MAX_CRON_CHARACTERS) {
      return { fault: `must be text of at most ${MAX_CRON_CHARACTERS} characters` };
    }
    const fields = text.trim().split(/\s+/);
    if (fields.length !== FIELDS.length) {
      return { fault: 'must have five fields: minute, hour, day of the month, month, weekday' };
    }
    const values: number[][] = [];
    for (const [index, field] of FIELDS.entries()) {
      const parsed = parseField(fields[index]!, field);
      if (!parsed) {
        const range = `${field.min} to ${field.max}`;
        return { fault: `has no ${field.name} (${range}) in "${fields[index]!.slice(0, 40)}"` };
      }
      values.push(parsed);
    }
    const [minutes, hours, days, months, weekdays] = values as FiveLists;
    const isLimited = (field: string | undefined): boolean => !field!.startsWith('*');
    return new Cron(
      minutes,
      hours,
      days,
      months,
      // Both 0 and 7 mean Sunday.
      weekdays.map((weekday) => weekday % 7),
      isLimited(fields[2]) && isLimited(fields[4]),
    );
  }

  /**
   * Returns the first time after an instant, or undefined when there is none within nine years. When daylight saving
   * time skips a local time, the result is later by the length of the gap. A local time that occurs twice counts only
   * once, unless the expression includes every hour.
   */
  next(after: Date, timezone: string): Date | undefined {
    const clock = new ZoneClock(timezone);
    const today = Math.floor(clock.localTimeAt(after.getTime()) / DAY) * DAY;
    let first: number | undefined;
    // A gap at midnight moves times to the next day. So the search begins one day early, and after the first match it
    // also checks the next day.
    for (let index = -1; index <= MAX_SEARCH_DAYS; index += 1) {
      const isLast = first !== undefined;
      first = this.firstOf(today + index * DAY, clock, after.getTime(), first);
      if (isLast) break;
    }
    return first === undefined ? undefined : new Date(first);
  }

  /**
   * Returns the first tick of `day` after the time `after`, or returns `known` when `known` is earlier than this tick.
   */
  private firstOf(
    day: number,
    clock: ZoneClock,
    after: number,
    known: number | undefined,
  ): number | undefined {
    if (!this.matchesDay(new Date(day))) return known;
    const offsets = [clock.offsetAt(day - DAY), clock.offsetAt(day + 2 * DAY)] as const;
    // The clock is slow, so it is asked only for local times that may be later than `after` and earlier than `first`.
    const [latestOffset, earliestOffset] = [Math.min(...offsets), Math.max(...offsets)];
    let first = known;
    for (const hour of this.hours) {
      for (const minute of this.minutes) {
        const localTime = day + hour * HOUR + minute * MINUTE;
        if (first !== undefined && localTime - earliestOffset >= first) return first;
        if (localTime - latestOffset <= after) continue;
        const instants = clock.instantsOf(localTime, ...offsets);
        const counted = this.hours.length === 24 ? instants : instants.slice(0, 1);
        for (const instant of counted) {
          if (instant > after && (first === undefined || instant < first)) first = instant;
        }
      }
    }
    return first;
  }

  private matchesDay(day: Date): boolean {
    if (!this.months.includes(day.getUTCMonth() + 1)) return false;
    const isDay = this.days.includes(day.getUTCDate());
    const isWeekday = this.weekdays.includes(day.getUTCDay());
    return this.matchesEitherDay ? isDay || isWeekday : isDay && isWeekday;
  }
}

function parseField(text: string, field: Field): number[] | undefined {
  const values = new Set<number>();
  for (const item of text.split(',')) {
    const [range, step, ...more] = item.split('/');
    const every = step === undefined ? 1 : parseWholeNumber(step);
    if (more.length > 0 || every === undefined || every < 1) return undefined;
    const limits = parseRange(range!, step !== undefined, field);
    if (!limits || limits[0] > limits[1]) return undefined;
    for (let value = limits[0]; value <= limits[1]; value += every) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}

function parseRange(text: string, hasStep: boolean, field: Field): [number, number] | undefined {
  // `*` covers only 0 to 6, because 7 is a second number for Sunday.
  if (text === '*') return [field.min, field.max === 7 ? 6 : field.max];
  const [from, to, ...more] = text.split('-').map((value) => parseValue(value, field));
  if (more.length > 0 || from === undefined) return undefined;
  if (!text.includes('-')) return [from, hasStep ? field.max : from];
  return to === undefined ? undefined : [from, to];
}

function parseValue(text: string, field: Field): number | undefined {
  const name = field.names.indexOf(text.toLowerCase());
  const value = name < 0 ? parseWholeNumber(text) : field.min + name;
  return value !== undefined && value >= field.min && value <= field.max ? value : undefined;
}

function parseWholeNumber(text: string): number | undefined {
  return /^[0-9]{1,4}$/.test(text) ? Number(text) : undefined;
}
