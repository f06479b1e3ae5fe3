const NAMES = ['action', 'outcome', 'subject', 'caller_id', 'from', 'until'] as const;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Holds the filters of the audit log, which are in the address of the page. `from` and `until` are days, both included.
 */
export type AuditFilters = Partial<Record<(typeof NAMES)[number], string>>;

export function readAuditFilters(search: Record<string, unknown>): AuditFilters {
  const filters: AuditFilters = {};
  for (const name of NAMES) {
    const value = search[name];
    // A text of digits in the address is an id, although the router reads it as a number.
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text !== 'string' || text === '') continue;
    if ((name === 'from' || name === 'until') && !isDay(text)) continue;
    filters[name] = text;
  }
  return filters;
}

/** Returns the arguments of the tool. Days begin at midnight in the time zone of the person. */
export function toArguments(filters: AuditFilters): Record<string, string> {
  const { from, until, ...others } = filters;
  return {
    ...others,
    ...(from && { from: midnight(from, 0) }),
    ...(until && { until: midnight(until, 1) }),
  };
}

function isDay(text: string): boolean {
  return DAY.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
}

function midnight(day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + later).toISOString();
}
