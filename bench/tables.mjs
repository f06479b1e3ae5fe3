// Parts of the tables of the report.
import { median, ratio } from './statistics.mjs';

/** A table: the heads of its columns, those after the first `texts` to the right, and its rows. */
export function table(heads, texts, rows) {
  return [
    line(heads),
    line(heads.map((_, index) => (index < texts ? '---' : '---:'))),
    ...rows.map(line),
  ];
}

/** The median of the values, the least and the most of them. */
export function spread(values, digits = 0) {
  const show = (value) =>
    value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${show(median(values))} (${show(Math.min(...values))} – ${show(Math.max(...values))})`;
}

/** The quotient of what two contestants reached in the same rounds; nothing of one with itself. */
export function quotient(row, other, key = 'perSecond') {
  if (!other || other === row) return '';
  const { median: middle, least, most } = ratio(series(row, key), series(other, key));
  const show = (value) => value.toFixed(value < 0.1 ? 4 : 2);
  return `${show(middle)} (${show(least)} – ${show(most)})`;
}

/** What a contestant reached in each round. */
export function series({ rounds }, key) {
  return rounds.map((round) => round[key]);
}

function line(cells) {
  return `| ${cells.join(' | ')} |`;
}
