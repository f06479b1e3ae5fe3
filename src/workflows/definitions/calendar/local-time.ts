import { addMonths } from '../../../text/add-months.js';
import { isDay } from '../../../text/parse-time.js';
import { Cron } from './cron.js';
import { ZoneClock } from './zone-clock.js';

const TIME_OF_DAY = /^([01]\d|2[0-3]):([0-5]\d)$/;
const DAY_AND_TIME = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d$/;

export function isTimeOfDay(text: string): boolean {
  return TIME_OF_DAY.test(text);
}

/** Returns true for a time without a time zone: `09:00`, or `2030-01-31T09:00`. */
export function isLocalTime(text: string): boolean {
  const day = DAY_AND_TIME.exec(text)?.[1];
  return isTimeOfDay(text) || (day !== undefined && isDay(day));
}

/**
 * Returns the instant of a local time. For a time of day, returns its next occurrence after `now`. If weekdays are
 * given, the occurrence is on one of them. When daylight saving time skips this local time, the result is later by the
 * length of the gap. When a local time occurs twice, the first one is used.
 */
export function instantOf(
  text: string,
  timezone: string,
  now: Date,
  weekdays: readonly string[] = [],
): Date {
  const [, hour, minute] = TIME_OF_DAY.exec(text) ?? [];
  if (hour === undefined) {
    return new Date(new ZoneClock(timezone).instantsOf(Date.parse(`${text}Z`))[0]!);
  }
  const days = weekdays.length === 0 ? '*' : weekdays.join(',');
  const cron = Cron.parse(`${minute!} ${hour} * * ${days}`);
  return (cron as Cron).next(now, timezone)!;
}

const MINUTE_MS = 60_000;

/**
 * Adds calendar months at the local clock: the same time of day on the same day of the month, or on its last day. If
 * daylight saving skips this local time, the result is later by the length of the gap.
 */
export function addLocalMonths(from: Date, months: number, timezone: string): Date {
  const clock = new ZoneClock(timezone);
  const local = addMonths(clock.localTimeAt(from.getTime()), months);
  return new Date(clock.instantsOf(local)[0]! + (from.getTime() % MINUTE_MS));
}
