import { CONSENT_CHANNELS } from '../contacts/consent.js';
import { TEXT_FIELDS } from '../contacts/filter-fields.js';
import { propertyNameFault } from '../contacts/parse-properties.js';
import type { Identifier } from '../contacts/contact-statements.js';
import { AppError } from '../errors/app-error.js';
import { FaultList } from '../errors/fault-list.js';
import { invalidArguments } from '../tools/schema/parse-arguments.js';
import { type ColumnMapping, MOST_COLUMNS } from './import-options.js';

const FIELDS: readonly string[] = Object.keys(TEXT_FIELDS);
const CONSENTS: readonly string[] = CONSENT_CHANNELS.map((channel) => `consent.${channel}`);
const PROPERTY = 'properties.';
const ALLOWED = `must be ${FIELDS.join(', ')}, tags, ${CONSENTS.join(', ')} or properties.<name>`;

/** The headings that files of other systems use, without spaces and punctuation, with the field that each one means. */
const HEADINGS: Readonly<Record<string, readonly string[]>> = {
  external_id: [
    'externalid',
    'id',
    'customerid',
    'userid',
    'contactid',
    'kundennummer',
    'kundenid',
  ],
  email: ['email', 'emailaddress', 'mail', 'emailadresse', 'mailadresse'],
  phone: [
    'phone',
    'phonenumber',
    'mobile',
    'mobilephone',
    'tel',
    'telephone',
    'telefon',
    'telefonnummer',
    'handy',
  ],
  first_name: ['firstname', 'givenname', 'vorname', 'forename'],
  last_name: ['lastname', 'surname', 'familyname', 'nachname', 'familienname'],
  locale: ['locale', 'language', 'sprache'],
  timezone: ['timezone', 'zeitzone'],
  tags: ['tags', 'labels', 'schlagworte'],
};

/**
 * Proposes a field for each column with a known heading. The name of a declared property is a known heading too. Reads
 * at most as many columns as a file can have.
 */
export function guessMapping(
  columns: readonly string[],
  properties: readonly string[],
): Record<string, string> {
  const mapping: Record<string, string> = {};
  const used = new Set<string>();
  for (const column of columns.slice(0, MOST_COLUMNS)) {
    const target = guess(column, properties);
    if (target === undefined || (used.has(target) && target !== 'tags')) continue;
    used.add(target);
    mapping[column] = target;
  }
  return mapping;
}

function guess(column: string, properties: readonly string[]): string | undefined {
  const name = column.trim().toLowerCase();
  if (CONSENTS.includes(name)) return name;
  if (column.startsWith(PROPERTY) && !propertyNameFault(column.slice(PROPERTY.length)))
    return column;
  const heading = name.replace(/[^\p{L}\p{N}]/gu, '');
  const field = Object.keys(HEADINGS).find((key) => HEADINGS[key]!.includes(heading));
  if (field !== undefined) return field;
  const property = properties.find(
    (declared) => declared.toLowerCase().replaceAll('_', '') === heading,
  );
  return property === undefined ? undefined : `${PROPERTY}${property}`;
}

/**
 * Checks a mapping that a caller sent, and returns the mapping without the columns that have no field. Throws
 * `invalid_arguments`.
 */
export function parseMapping(given: object, columns: readonly string[]): ColumnMapping {
  const faults = new FaultList();
  const mapping: Record<string, string> = {};
  const used = new Set<string>();
  const known = new Set(columns);
  for (const [column, target] of Object.entries(given) as [string, unknown][]) {
    if (target === null || target === '') continue;
    const path = `mapping.${column.slice(0, 100)}`;
    if (!known.has(column)) faults.push({ path, message: 'is not a column of the file' });
    else if (typeof target !== 'string' || !isTarget(target))
      faults.push({ path, message: ALLOWED });
    else if (used.has(target) && target !== 'tags') {
      faults.push({
        path,
        message: `must not be ${target}, because another column is mapped to it`,
      });
    } else {
      used.add(target);
      mapping[column] = target;
    }
  }
  if (faults.length > 0) throw invalidArguments(faults);
  return mapping;
}

function isTarget(target: string): boolean {
  return (
    FIELDS.includes(target) ||
    target === 'tags' ||
    CONSENTS.includes(target) ||
    (target.startsWith(PROPERTY) && !propertyNameFault(target.slice(PROPERTY.length)))
  );
}

/**
 * Returns the field whose value finds the contact of a row. Throws `invalid_arguments` when no column has this field.
 */
export function matchField(mapping: ColumnMapping, given: Identifier | undefined): Identifier {
  const mapped = new Set(Object.values(mapping));
  const field =
    given ?? (['external_id', 'email', 'phone'] as const).find((one) => mapped.has(one));
  if (field === undefined) {
    throw AppError.invalidField('mapping', 'must have a column for external_id, email or phone');
  }
  if (!mapped.has(field)) {
    throw AppError.invalidField(
      'match_by',
      `must be a mapped field, but no column is mapped to ${field}`,
    );
  }
  return field;
}
