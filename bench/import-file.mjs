// Writes the file of the import contest: rows with the contacts of `contacts.mjs`.
import { contactOf } from './contacts.mjs';

export const HEADINGS = [
  'external_id',
  'email',
  'phone',
  'first_name',
  'last_name',
  'locale',
  'timezone',
  'tags',
  'properties.plan',
  'properties.seats',
  'consent.email',
];
/** The organization number of the contacts. The search contests use lower numbers, so no contact exists twice. */
const ORGANIZATION = 20;
const ROWS_AT_ONCE = 1000;

/** Yields the CSV in pieces. Files with different values of `first` have no contact in common. */
export function* csvPieces(first, rows) {
  yield `${HEADINGS.join(',')}\n`;
  for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
    const count = Math.min(ROWS_AT_ONCE, rows - from);
    yield Array.from({ length: count }, (_, index) => lineOf(first + from + index)).join('');
  }
}

function lineOf(number) {
  const contact = contactOf(ORGANIZATION, number);
  const { external_id, email, phone, first_name, last_name, locale, timezone } = contact;
  const cells = [external_id, email, phone, first_name, last_name, locale, timezone];
  const { tags, properties, consent } = contact;
  return `${[...cells, tags.join(';'), properties.plan, properties.seats, consent.email.status].join(',')}\n`;
}
