const RFC_3339 = /^(\d{4}-\d\d-\d\d)[Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:\d\d)$/;

/** Parses an RFC 3339 timestamp with a time zone. Returns undefined for everything else. */
export function parseTime(text: unknown): Date | undefined {
  const day = typeof text === 'string' ? RFC_3339.exec(text)?.[1] : undefined;
  const time = new Date(day === undefined ? Number.NaN : String(text));
  return day !== undefined && isDay(day) && !Number.isNaN(time.getTime()) ? time : undefined;
}

/** Returns true when the day `yyyy-mm-dd` exists. JavaScript alone parses 30 February as 2 March. */
export function isDay(day: string): boolean {
  const start = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(start.getTime()) && start.toISOString().startsWith(day);
}
