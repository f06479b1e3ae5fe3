import { isDay } from '../../../text/parse-time.js';
import { Cron } from './cron.js';
import { ZoneClock } from './zone-clock.js';

const TIME_OF_DAY = /^([01]\d|2[0-3]):([0-5]\d)$/;
const DAY_AND_TIME = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d$/;

/** Whether the text is a time of day, such as `09:00`, which comes every day. */
export function isTimeOfDay(text: string): boolean {
  return TIME_OF_DAY.test(text);
}

/** Whether the text is a time by the clocks of a place: `09:00`, or `2030-01-31T09:00`. */
export function isLocalTime(text: string): boolean {
  const day = DAY_AND_TIME.exec(text)?.[1];
  return isTimeOfDay(text) || (day !== undefined && isDay(day));
}

/**
 * The instant that a local time stands for; of a time of day the next one after `now`, on one of the weekdays if there
 * are any. A time that the clocks skip comes as much later as they skip, one that they show twice the first time.
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
