/**
 * Adds calendar months to a time, both in milliseconds since 1970. The day becomes the last day of the month when that
 * month is shorter: one month after 31 January is 28 or 29 February.
 */
export function addMonths(time: number, months: number): number {
  const from = new Date(time);
  const [year, month] = [from.getUTCFullYear(), from.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const moved = new Date(time);
  moved.setUTCFullYear(year, month, Math.min(from.getUTCDate(), lastDay));
  return moved.getTime();
}
