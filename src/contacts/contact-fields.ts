import { AppError } from '../errors/app-error.js';
import { FaultList } from '../errors/fault-list.js';
import { invalidArguments } from '../tools/schema/parse-arguments.js';
import { type Parsed, parseEmail } from '../text/parse-email.js';
import { type ConsentChannel, type ConsentStatus, mergeConsent } from './consent.js';
import { TEXT_FIELDS } from './filter-fields.js';
import type { Contact, ContactProperties } from './contact.entity.js';
import type { ContactRules } from './contact-rules.js';
import type { ContactFieldsInput } from './contact.inputs.js';
import { parseLocale, parsePhone, parseText, parseTimezone } from './parse-field.js';
import {
  MOST_PROPERTIES,
  MOST_PROPERTIES_BYTES,
  bytesOfProperties,
  parseProperties,
} from './parse-properties.js';
import type { PropertyValue } from './property-type.js';

const LONGEST_TEXT = 255;
const LONGEST_TAG = 64;
export const MOST_TAGS = 50;
const MANY_MARKS = /\p{M}{31}/u;

/** The data of a contact, without its id and times. */
export type ContactFields = Omit<
  Contact,
  'organizationId' | 'id' | 'searchText' | 'createdAt' | 'updatedAt'
>;

/** Validated and normalized fields. An undefined field stays unchanged; a property that is null is removed. */
export type ContactChanges = Partial<
  Omit<ContactFields, 'properties' | 'consent'> & {
    properties: Record<string, PropertyValue | null> | null;
    consent: Partial<Record<ConsentChannel, ConsentStatus>>;
  }
>;

export const NO_FIELDS: Readonly<ContactFields> = Object.freeze({
  externalId: null,
  email: null,
  phone: null,
  firstName: null,
  lastName: null,
  locale: null,
  timezone: null,
  tags: [],
  properties: {},
  consent: {},
});

type TextField = keyof typeof TEXT_FIELDS;

const parseBounded = (text: string): Parsed => parseText(text, LONGEST_TEXT);
const PARSERS: Record<TextField, (text: string, rules: ContactRules) => Parsed> = {
  external_id: parseBounded,
  email: parseEmail,
  phone: (text, { region }) => parsePhone(text, region),
  first_name: parseBounded,
  last_name: parseBounded,
  locale: parseLocale,
  timezone: parseTimezone,
};

/**
 * Validates and normalizes the fields that a caller sent, by the rules of the organization: an absent field stays
 * unchanged, null clears it. Throws `invalid_arguments` with the path of every fault.
 */
export function parseChanges(input: ContactFieldsInput, rules: ContactRules): ContactChanges {
  const faults = new FaultList();
  const changes: ContactChanges = { consent: input.consent };
  for (const name of Object.keys(TEXT_FIELDS) as TextField[]) {
    // Forms and language models send empty text where they mean null.
    const text = input[name] === '' ? null : input[name];
    const parsed = typeof text === 'string' ? PARSERS[name](text, rules) : { value: text };
    if ('value' in parsed) changes[TEXT_FIELDS[name]] = parsed.value;
    else faults.push({ path: name, message: parsed.fault });
  }
  if (input.tags !== undefined) changes.tags = parseTags(input.tags ?? [], faults);
  changes.properties = input.properties && parseProperties(input.properties, rules, faults);
  if (faults.length > 0) throw invalidArguments(faults);
  return changes;
}

/**
 * Returns the fields after `changes`. Throws `invalid_arguments` when the result has no identifier or too many
 * properties.
 */
export function applyChanges(
  fields: Readonly<ContactFields>,
  changes: ContactChanges,
  source: string,
  now: Date,
): ContactFields {
  const given = Object.fromEntries(
    Object.entries(changes).filter(([, value]) => value !== undefined),
  ) as ContactChanges;
  const next: ContactFields = {
    ...fields,
    ...given,
    properties: mergeProperties(fields.properties, changes.properties),
    consent: mergeConsent(fields.consent, changes.consent ?? {}, source, now),
  };
  if (Object.keys(next.properties).length > MOST_PROPERTIES) {
    throw AppError.invalidField('properties', `must be at most ${MOST_PROPERTIES} in total`);
  }
  // A contact that already exceeds the limit can still be changed in other fields.
  if (changes.properties && bytesOfProperties(next.properties) > MOST_PROPERTIES_BYTES) {
    const most = MOST_PROPERTIES_BYTES / 1024;
    throw AppError.invalidField('properties', `must have at most ${most} KiB in total`);
  }
  if (next.externalId === null && next.email === null && next.phone === null) {
    throw AppError.invalid('A contact needs one of external_id, email and phone.', [
      { path: '', message: 'needs one of external_id, email and phone' },
    ]);
  }
  return next;
}

/**
 * Returns the text that a text search matches. It is lowercase NFC, so results do not depend on the database's locale.
 */
export function searchText(fields: Readonly<ContactFields>): string {
  const { firstName, lastName, email, phone, externalId } = fields;
  const fullName = [firstName, lastName].filter((name) => name !== null).join(' ');
  return foldText([fullName, email, phone, externalId].filter((text) => text !== null).join('\n'));
}

/**
 * Returns `text` in lowercase NFC, for comparisons that ignore case. Text with more than 30 combining marks in sequence
 * is converted to lowercase, but not to NFC: sorting the marks takes a time that grows with the square of their number.
 * No language has such text (UAX #15, Stream-Safe Text Format).
 */
export function foldText(text: string): string {
  return (MANY_MARKS.test(text) ? text : text.normalize('NFC')).toLowerCase();
}

function mergeProperties(
  properties: ContactProperties,
  changes: ContactChanges['properties'],
): ContactProperties {
  if (changes === null) return {};
  const merged = { ...properties, ...changes };
  return Object.fromEntries(
    Object.entries(merged).filter((entry): entry is [string, PropertyValue] => entry[1] !== null),
  );
}

function parseTags(tags: readonly string[], faults: FaultList): string[] {
  for (const [index, tag] of tags.entries()) {
    const parsed = parseText(tag, LONGEST_TAG);
    if ('fault' in parsed) faults.push({ path: `tags[${index}]`, message: parsed.fault });
  }
  return [...new Set(tags)];
}
