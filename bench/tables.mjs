// Formats tables of the report.
import { median, ratio } from './statistics.mjs';

/** Formats a table. The first `texts` columns are left-aligned, the others right-aligned. */
export function table(heads, texts, rows) {
  return [
    line(heads),
    line(heads.map((_, index) => (index < texts ? '---' : '---:'))),
    ...rows.map(line),
  ];
}

/** Formats the median, the smallest and the largest value. */
export function spread(values, digits = 0) {
  const show = (value) =>
    value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${show(median(values))} (${show(Math.min(...values))} – ${show(Math.max(...values))})`;
}

/**
 * Formats the quotient of two contestants in the same rounds. Returns an empty text when both are the same contestant.
 */
export function quotient(row, other, key = 'perSecond') {
  if (!other || other === row) return '';
  const { median: middle, least, most } = ratio(series(row, key), series(other, key));
  const show = (value) => value.toFixed(value < 0.1 ? 4 : 2);
  return `${show(middle)} (${show(least)} – ${show(most)})`;
}

/** Returns the result of a contestant in each round. */
export function series({ rounds }, key) {
  return rounds.map((round) => round[key]);
}

function line(cells) {
  return `| ${cells.join(' | ')} |`;
}
