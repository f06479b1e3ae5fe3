const MOMENT = /^(\d{4}-\d\d-\d\d)[Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:\d\d)$/;

/** The moment that an RFC 3339 text names, with its zone; undefined when it names none. */
export function parseTime(text: unknown): Date | undefined {
  const day = typeof text === 'string' ? MOMENT.exec(text)?.[1] : undefined;
  const time = new Date(day === undefined ? Number.NaN : String(text));
  return day !== undefined && isDay(day) && !Number.isNaN(time.getTime()) ? time : undefined;
}

/** Whether `yyyy-mm-dd` is in the calendar: JavaScript takes 30 February for 2 March. */
export function isDay(day: string): boolean {
  const start = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(start.getTime()) && start.toISOString().startsWith(day);
}
