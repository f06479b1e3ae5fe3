import { AppError, type Fault } from '../errors/app-error.js';
import { type Consent, type ConsentChannel, type ConsentStatus, mergeConsent } from './consent.js';
import { parseEmail, parseLocale, parsePhone, parseText, parseTimezone } from './parse-field.js';

const MOST_PROPERTIES = 100;
const LONGEST_TEXT = 255;
const LONGEST_TAG = 64;
const LONGEST_VALUE = 1024;
const PROPERTY_NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
// What every JavaScript object seems to have: a template or a client that looked them up would find something else.
const RESERVED_NAMES = new Set(Object.getOwnPropertyNames(Object.prototype));

export type PropertyValue = string | number | boolean;
export type ContactProperties = Record<string, PropertyValue>;

/** What can be known of a contact, apart from its id and times. */
export interface ContactFields {
  externalId: string | null;
  email: string | null;
  phone: string | null;
  firstName: string | null;
  lastName: string | null;
  locale: string | null;
  timezone: string | null;
  tags: string[];
  properties: ContactProperties;
  consent: Consent;
}

/** Fields as callers send them: absent means unchanged, null means clear. */
export interface ContactFieldsInput {
  external_id?: string | null;
  email?: string | null;
  phone?: string | null;
  first_name?: string | null;
  last_name?: string | null;
  locale?: string | null;
  timezone?: string | null;
  tags?: string[] | null;
  properties?: Record<string, unknown> | null;
  consent?: Partial<Record<ConsentChannel, ConsentStatus>>;
}

/** Checked and normalized fields: undefined means unchanged; a property that is null is removed. */
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

/** Checks and normalizes what a caller sent; throws `invalid_arguments` with the path of every fault. */
export function parseChanges(input: ContactFieldsInput): ContactChanges {
  const faults: Fault[] = [];
  const text = (
    key: keyof ContactFieldsInput,
    value: string | null | undefined,
    parse: (text: string) => { value: string } | { fault: string },
  ): string | null | undefined => {
    // Forms and language models send empty text for "nothing".
    if (value === undefined || value === null) return value;
    if (value === '') return null;
    const parsed = parse(value);
    if ('value' in parsed) return parsed.value;
    faults.push({ path: key, message: parsed.fault });
    return undefined;
  };
  const bounded = (value: string) => parseText(value, LONGEST_TEXT);
  const changes: ContactChanges = {
    externalId: text('external_id', input.external_id, bounded),
    email: text('email', input.email, parseEmail),
    phone: text('phone', input.phone, parsePhone),
    firstName: text('first_name', input.first_name, bounded),
    lastName: text('last_name', input.last_name, bounded),
    locale: text('locale', input.locale, parseLocale),
    timezone: text('timezone', input.timezone, parseTimezone),
    tags: input.tags === undefined ? undefined : parseTags(input.tags ?? [], faults),
    properties: input.properties && parseProperties(input.properties, faults),
    consent: input.consent,
  };
  throwFaults(faults);
  return changes;
}

/** The fields after `changes`; throws `invalid_arguments` when no contact may look like that. */
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
    throwFaults([{ path: 'properties', message: `must be at most ${MOST_PROPERTIES} in all` }]);
  }
  if (next.externalId === null && next.email === null && next.phone === null) {
    throw AppError.invalid('A contact needs one of external_id, email and phone.', [
      { path: '', message: 'needs one of external_id, email and phone' },
    ]);
  }
  return next;
}

/** What a search by text looks at: composed and in lower case, so that it depends on no locale of a database. */
export function searchText(fields: Readonly<ContactFields>): string {
  const { firstName, lastName, email, phone, externalId } = fields;
  const fullName = [firstName, lastName].filter((name) => name !== null).join(' ');
  return foldText([fullName, email, phone, externalId].filter((text) => text !== null).join('\n'));
}

/** Text as it is compared where case does not count. */
export function foldText(text: string): string {
  return text.normalize('NFC').toLowerCase();
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

function parseTags(tags: readonly string[], faults: Fault[]): string[] {
  for (const [index, tag] of tags.entries()) {
    const parsed = parseText(tag, LONGEST_TAG);
    if ('fault' in parsed) faults.push({ path: `tags[${index}]`, message: parsed.fault });
  }
  return [...new Set(tags)];
}

function parseProperties(
  properties: Record<string, unknown>,
  faults: Fault[],
): Record<string, PropertyValue | null> {
  const entries = Object.entries(properties);
  if (entries.length > MOST_PROPERTIES) {
    faults.push({ path: 'properties', message: `must be at most ${MOST_PROPERTIES} in all` });
    return {};
  }
  const parsed: Record<string, PropertyValue | null> = {};
  for (const [name, value] of entries) {
    const path = `properties.${name}`;
    const fault = nameFault(name) ?? valueFault(value);
    if (fault) faults.push({ path, message: fault });
    else parsed[name] = value as PropertyValue | null;
  }
  return parsed;
}

function nameFault(name: string): string | undefined {
  if (!PROPERTY_NAME.test(name)) {
    return 'is no name of a property: a letter, then up to 63 letters, digits or _';
  }
  return RESERVED_NAMES.has(name) ? 'is a reserved name' : undefined;
}

function valueFault(value: unknown): string | undefined {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return undefined;
  if (typeof value !== 'string') return 'must be text, a number, true, false or null';
  const parsed = parseText(value, LONGEST_VALUE);
  // Empty text is a value like any other here.
  return value !== '' && 'fault' in parsed ? parsed.fault : undefined;
}

function throwFaults(faults: readonly Fault[]): void {
  const [first] = faults;
  if (!first) return;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  throw AppError.invalid(`${first.path} ${first.message}${more}.`, faults.slice(0, 20));
}
