const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

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

  /**
   * The instants at which the clocks show a time, the first one first: two where they are put back over it. Where they
   * skip it, the one that is as much later as they skip. How far they are ahead well before and well after it may be
   * given by those who know.
   */
  instantsOf(
    shown: number,
    before = this.offsetAt(shown - DAY),
    after = this.offsetAt(shown + DAY),
  ): number[] {
    if (before === after) return [shown - before];
    const instants = [shown - before, shown - after].filter(
      (instant) => this.shownAt(instant) === shown,
    );
    return instants.length === 0 ? [shown - before] : instants.sort((a, b) => a - b);
  }
}
