const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

export class ZoneClock {
  private readonly format: Intl.DateTimeFormat;

  /** Creates the clock of a time zone. Throws a RangeError for an unknown time zone. */
  constructor(timezone: string) {
    this.format = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
  }

  /**
   * Returns the local time at an instant, in whole minutes. It is written as milliseconds since 1970, as if the local
   * clock were UTC.
   */
  localTimeAt(instant: number): number {
    const parts = Object.fromEntries(
      this.format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
    );
    const { year, month, day, hour, minute } = parts as Record<string, number>;
    return Date.UTC(year!, month! - 1, day, hour, minute);
  }

  /** Returns the offset from UTC in milliseconds, which is positive east of Greenwich. */
  offsetAt(instant: number): number {
    return this.localTimeAt(instant) - Math.floor(instant / MINUTE) * MINUTE;
  }

  /**
   * Returns the instants of a local time in ascending order: two instants when the local time occurs twice. For a
   * skipped local time, returns the instant that is later by the length of the gap. A caller that computes many local
   * times of a day can pass the offsets before and after that day.
   */
  instantsOf(
    localTime: number,
    before = this.offsetAt(localTime - DAY),
    after = this.offsetAt(localTime + DAY),
  ): number[] {
    if (before === after) return [localTime - before];
    const instants = [localTime - before, localTime - after].filter(
      (instant) => this.localTimeAt(instant) === localTime,
    );
    return instants.length === 0 ? [localTime - before] : instants.sort((a, b) => a - b);
  }
}
