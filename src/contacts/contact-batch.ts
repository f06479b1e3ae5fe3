import { AppError } from '../errors/app-error.js';
import { canonicalJson } from '../text/canonical-json.js';
import { newId } from '../text/ids.js';
import { CONSENT_CHANNELS } from './consent.js';
import { identifierConflict, mergeTags, withoutAliases } from './contact-conflicts.js';
import {
  type ContactChanges,
  type ContactFields,
  NO_FIELDS,
  applyChanges,
} from './contact-fields.js';
import { IDENTIFIERS, type Identifier } from './contact-statements.js';
import type { Contact } from './contact.entity.js';

export interface BatchOptions {
  /** The field by which rows find contacts: a row belongs to the contact that has the same value. */
  matchBy: Identifier;
  onExisting: 'update' | 'skip';
  /** The recorded source of consent. */
  source: string;
  /** False when the changes emit no events. */
  emitsEvents: boolean;
  /** True for a dry run, which returns the results and writes nothing. */
  isDryRun: boolean;
}

/**
 * The result for a row. In a dry run, it is the result that the row would have. An error says why nothing was stored.
 */
export type RowOutcome = 'created' | 'updated' | 'unchanged' | 'skipped' | AppError;

/** An identifier in the rows, with the contact that it belongs to. */
export interface KnownContact {
  identifier: Identifier;
  value: string;
  contact: Contact;
}

/** A contact that a batch writes, with its fields after the batch. */
export interface BatchedContact {
  id: string;
  /** The contact before the batch. Undefined for a contact that is new. */
  before: Contact | undefined;
  fields: ContactFields;
  /** The positions of the rows that created or changed the contact. */
  rows: number[];
}

export interface BatchPlan {
  outcomes: RowOutcome[];
  /** The contacts to write. */
  contacts: BatchedContact[];
}

/**
 * Decides what each row does, in the order of the rows. A later row sees the results of all earlier rows. `known` has
 * the contacts whose identifiers occur in the rows.
 */
export function planBatch(
  rows: readonly ContactChanges[],
  known: readonly KnownContact[],
  options: BatchOptions,
): BatchPlan {
  const contacts = new Map<string, BatchedContact>();
  const holders = new Map<string, BatchedContact>();
  for (const { identifier, value, contact } of known) {
    const {
      organizationId: _,
      id,
      createdAt: __,
      updatedAt: ___,
      searchText: ____,
      ...fields
    } = contact;
    const batched = contacts.get(id) ?? { id, before: contact, fields, rows: [] };
    contacts.set(id, batched);
    holders.set(`${identifier} ${value}`, batched);
  }
  const now = new Date();
  const outcomes = rows.map((row, index) => {
    try {
      return planRow(row, index, holders, contacts, options, now);
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  });
  return {
    outcomes,
    contacts: [...contacts.values()].filter((contact) => contact.rows.length > 0),
  };
}

function planRow(
  given: ContactChanges,
  index: number,
  holders: Map<string, BatchedContact>,
  contacts: Map<string, BatchedContact>,
  { matchBy, onExisting, source }: BatchOptions,
  now: Date,
): RowOutcome {
  const found = identifiersOf(given).flatMap(([identifier, value]) => {
    const contact = holders.get(`${identifier} ${value}`);
    return contact ? [{ identifier, contact }] : [];
  });
  const matched = found.find(({ identifier }) => identifier === matchBy)?.contact;
  const other = found.find(({ contact }) => contact !== matched);
  if (matched && onExisting === 'skip') return 'skipped';
  if (other) throw identifierConflict([{ ...other, contact: other.contact.before }]);
  if (!matched) {
    const fields = applyChanges(NO_FIELDS, given, source, now);
    const created = { id: newId('con'), before: undefined, fields, rows: [index] };
    contacts.set(created.id, created);
    remember(created, given, holders);
    return 'created';
  }
  const held = found.map(({ identifier, contact }) => ({ identifier, contact: contact.fields }));
  const kept = withoutAliases(held, withoutGrants(matched.fields, given));
  const fields = applyChanges(matched.fields, mergeTags(matched.fields, kept), source, now);
  if (canonicalJson(fields) === canonicalJson(matched.fields)) return 'unchanged';
  matched.fields = fields;
  matched.rows.push(index);
  remember(matched, given, holders);
  return matched.before ? 'updated' : 'created';
}

/** Leaves out each grant of a consent that the contact has denied. A file cannot prove that the person agreed later. */
function withoutGrants({ consent }: ContactFields, changes: ContactChanges): ContactChanges {
  if (!changes.consent) return changes;
  const left = { ...changes.consent };
  for (const channel of CONSENT_CHANNELS) {
    if (consent[channel]?.status === 'denied') delete left[channel];
  }
  return { ...changes, consent: left };
}

function remember(
  contact: BatchedContact,
  changes: ContactChanges,
  holders: Map<string, BatchedContact>,
): void {
  for (const [identifier, value] of identifiersOf(changes)) {
    holders.set(`${identifier} ${value}`, contact);
  }
}

/** Returns the identifiers that have a value. */
export function identifiersOf(changes: ContactChanges): [Identifier, string][] {
  return (Object.keys(IDENTIFIERS) as Identifier[]).flatMap((identifier) => {
    const value = changes[IDENTIFIERS[identifier]];
    return typeof value === 'string' ? [[identifier, value] as [Identifier, string]] : [];
  });
}
