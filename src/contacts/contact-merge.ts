import { AppError } from '../errors/app-error.js';
import { canonicalJson } from '../text/canonical-json.js';
import { CONSENT_CHANNELS, type Consent, type ConsentState } from './consent.js';
import type { AliasAddress } from './contact-aliases.repository.js';
import { type ContactFields, MOST_TAGS } from './contact-fields.js';
import type { Contact } from './contact.entity.js';
import { IDENTIFIERS, type Identifier } from './contact-statements.js';
import { MOST_PROPERTIES, MOST_PROPERTIES_BYTES, bytesOfProperties } from './parse-properties.js';

const SINGLE_FIELDS = {
  ...IDENTIFIERS,
  first_name: 'firstName',
  last_name: 'lastName',
  locale: 'locale',
  timezone: 'timezone',
} as const;

/** The choice between two values for a merged contact. Each value is a text, or JSON. */
export interface MergedValue {
  /** The path of the field, for example `first_name` or `properties.plan`. */
  field: string;
  value: string;
  from: 'survivor' | 'merged';
  /** The value of the other contact, or null when it had none. */
  other: string | null;
}

export interface MergePlan {
  /** The fields of the survivor after the merge. */
  fields: ContactFields;
  /** The fields in which the two contacts differ, except fields that only the survivor has. */
  values: MergedValue[];
  /** The identifiers of the merged contact that become aliases of the survivor. */
  aliases: AliasAddress[];
}

/** The changes of a merge, so that it can be undone. */
export interface MergeUndo {
  merged: ContactFields & { createdAt: string };
  before: ContactFields;
  after: ContactFields;
  aliases: AliasAddress[];
}

/** Returns the fields of a contact, without its id and times. */
export function fieldsOf(contact: Contact): ContactFields {
  const { externalId, email, phone, firstName, lastName, locale, timezone } = contact;
  const { tags, properties, consent } = contact;
  return {
    externalId,
    email,
    phone,
    firstName,
    lastName,
    locale,
    timezone,
    tags,
    properties,
    consent,
  };
}

/**
 * Decides the fields of the survivor of a merge. The survivor keeps its values, and gets the values that only the
 * merged contact has. It gets the tags of both contacts, and the stricter consent. Throws `conflict` when the result
 * has too many tags or properties.
 */
export function planMerge(survivor: ContactFields, merged: ContactFields): MergePlan {
  const values: MergedValue[] = [];
  const fields: ContactFields = { ...survivor };
  const choose = (field: string, own: unknown, other: unknown): void => {
    if (other === null || other === undefined || canonicalJson(own) === canonicalJson(other))
      return;
    const isKept = own !== null && own !== undefined;
    const [value, lost] = isKept ? [own, other] : [other, null];
    const from = isKept ? 'survivor' : 'merged';
    values.push({ field, value: textOf(value), from, other: lost === null ? null : textOf(lost) });
  };
  for (const [field, column] of Object.entries(SINGLE_FIELDS)) {
    choose(field, survivor[column], merged[column]);
    fields[column] = survivor[column] ?? merged[column];
  }
  fields.tags = [...new Set([...survivor.tags, ...merged.tags])];
  for (const [name, value] of Object.entries(merged.properties)) {
    const own = Object.hasOwn(survivor.properties, name) ? survivor.properties[name] : undefined;
    choose(`properties.${name}`, own, value);
  }
  fields.properties = { ...merged.properties, ...survivor.properties };
  fields.consent = strictest(survivor.consent, merged.consent);
  for (const channel of CONSENT_CHANNELS) {
    const [own, other] = [survivor.consent[channel], merged.consent[channel]];
    if (own?.status === other?.status || !other) continue;
    const from = fields.consent[channel] === own ? 'survivor' : 'merged';
    const lost = from === 'survivor' ? other : own;
    const value = fields.consent[channel]!.status;
    values.push({ field: `consent.${channel}`, value, from, other: lost?.status ?? null });
  }
  assertFits(fields.tags.length, MOST_TAGS, 'tags');
  assertFits(Object.keys(fields.properties).length, MOST_PROPERTIES, 'properties');
  assertFits(bytesOfProperties(fields.properties), MOST_PROPERTIES_BYTES, 'bytes of properties');
  const aliases = identifiersOf(merged).filter(
    ({ kind, value }) => fields[IDENTIFIERS[kind]] !== value,
  );
  return { fields, values, aliases };
}

/**
 * Returns the fields of the survivor when a merge is undone. The survivor loses the values that came from the merge,
 * except values that were changed since then. Throws `conflict` when the survivor would have no identifier.
 */
export function revertSurvivor(
  current: ContactFields,
  { before, after }: MergeUndo,
): ContactFields {
  const survivor: ContactFields = { ...current };
  for (const column of Object.values(SINGLE_FIELDS)) {
    const isFromMerge = before[column] !== after[column] && current[column] === after[column];
    if (isFromMerge) survivor[column] = before[column];
  }
  survivor.tags = current.tags.filter(
    (tag) => before.tags.includes(tag) || !after.tags.includes(tag),
  );
  survivor.properties = Object.fromEntries(
    Object.entries(current.properties).filter(([name, value]) => {
      const isFromMerge =
        !Object.hasOwn(before.properties, name) && Object.hasOwn(after.properties, name);
      return !isFromMerge || canonicalJson(value) !== canonicalJson(after.properties[name]);
    }),
  );
  assertIdentified(survivor, 'The contact that stays');
  return survivor;
}

/**
 * Returns the fields of the merged contact when a merge is undone: its earlier fields, without the identifiers that
 * other contacts have now. Where the consent of the survivor is stricter, the merged contact gets that consent. Throws
 * `conflict` when the merged contact would have no identifier.
 */
export function restoreMerged(
  current: ContactFields,
  { merged: { createdAt: _, ...merged } }: MergeUndo,
  taken: readonly Identifier[],
): ContactFields {
  const restored = { ...merged, consent: strictest(current.consent, merged.consent) };
  for (const kind of taken) restored[IDENTIFIERS[kind]] = null;
  assertIdentified(restored, 'The restored contact');
  return restored;
}

/** Returns the identifiers that have a value. */
export function identifiersOf(fields: ContactFields): AliasAddress[] {
  return (Object.keys(IDENTIFIERS) as Identifier[]).flatMap((kind) => {
    const value = fields[IDENTIFIERS[kind]];
    return value === null ? [] : [{ kind, value }];
  });
}

/**
 * Returns the stricter decision for each channel: `denied` is stricter than `granted`, and `granted` is stricter than
 * no decision. Of two equal decisions, returns the first.
 */
export function strictest(first: Consent, second: Consent): Consent {
  const strict: Consent = {};
  for (const channel of CONSENT_CHANNELS) {
    const [own, other] = [first[channel], second[channel]];
    const chosen = strictness(other) > strictness(own) ? other : own;
    if (chosen) strict[channel] = chosen;
  }
  return strict;
}

function strictness(state: ConsentState | undefined): number {
  if (!state) return 0;
  return state.status === 'denied' ? 2 : 1;
}

function assertFits(count: number, most: number, what: string): void {
  if (count <= most) return;
  const message = `The contact would have ${count} ${what}, more than ${most}. Remove some first.`;
  throw new AppError('conflict', message);
}

function assertIdentified({ externalId, email, phone }: ContactFields, who: string): void {
  if (externalId !== null || email !== null || phone !== null) return;
  const cure =
    'Give another e-mail address, phone number or external_id to the contact that stays.';
  throw new AppError('conflict', `${who} would have no identifier. ${cure}`);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
