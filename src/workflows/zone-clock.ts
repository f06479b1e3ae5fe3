const MINUTE = 60_000;

/** Tells what the clocks of a time zone show. */
export class ZoneClock {
  private readonly format: Intl.DateTimeFormat;

  /** Throws a RangeError for a zone that nobody knows. */
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

  /** What the clocks show at an instant, as if they showed UTC; in milliseconds, of whole minutes. */
  shownAt(instant: number): number {
    const parts = Object.fromEntries(
      this.format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
    );
    const { year, month, day, hour, minute } = parts as Record<string, number>;
    return Date.UTC(year!, month! - 1, day, hour, minute);
  }

  /** How far the clocks are ahead of UTC. */
  offsetAt(instant: number): number {
    return this.shownAt(instant) - Math.floor(instant / MINUTE) * MINUTE;
  }
}
