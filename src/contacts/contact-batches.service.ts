import { Injectable } from '@nestjs/common';
import { ChangeFeed, resourceChange } from '../changes/change-feed.js';
import { DomainEvents } from '../events/domain-events.js';
import {
  ContactBatchesRepository,
  type Holder,
  type ListedContact,
} from './contact-batches.repository.js';
import {
  type BatchedContact,
  type BatchOptions,
  type BatchPlan,
  type KnownContact,
  type RowOutcome,
  identifiersOf,
  planBatch,
} from './contact-batch.js';
import { tooManyChanges } from './contact-conflicts.js';
import type { ContactChanges, ContactFields } from './contact-fields.js';
import { IDENTIFIERS } from './contact-statements.js';
import type { Contact } from './contact.entity.js';
import { ContactView } from './contact.results.js';
import { contactEvents } from './contact-events.js';

export type { ListedContact };

/** The number of attempts to lock contacts, or to write a row, whose identifiers other transactions take meanwhile. */
const MOST_ATTEMPTS = 5;

/** Creates and changes many contacts in one call, by the rules of `create_contact`. */
@Injectable()
export class ContactBatchesService {
  constructor(
    private readonly batches: ContactBatchesRepository,
    private readonly events: DomainEvents,
    private readonly changes: ChangeFeed,
  ) {}

  /**
   * Writes the contacts of the rows in the transaction of the caller and returns an outcome for each row. An update
   * keeps existing tags, properties and denials of consent.
   */
  async write(
    organizationId: string,
    rows: readonly ContactChanges[],
    options: BatchOptions,
  ): Promise<RowOutcome[]> {
    const known = await this.findContacts(organizationId, rows);
    const plan = planBatch(rows, known, options);
    if (!options.isDryRun) {
      await this.batches.withImportOrigin(organizationId, async () => {
        await this.insert(organizationId, rows, plan, options);
        await this.update(organizationId, rows, plan, options);
      });
      if (!options.emitsEvents) await this.batches.silence(organizationId);
    }
    return plan.outcomes;
  }

  /**
   * Returns contacts with larger ids than `after`, in the order of their ids. Returns at most `most.rows` contacts with
   * together at most `most.bytes` bytes, but at least one contact, if there is one. A contact with more than 1 MiB, which
   * only SQL of a tool can store, has no tags and no properties, and `isCut` is true.
   */
  listAfter(
    organizationId: string,
    after: string,
    most: { rows: number; bytes: number },
  ): Promise<ListedContact[]> {
    return this.batches.listAfter(organizationId, after, most);
  }

  /** Returns at most `limit` names of properties that contacts have, in alphabetical order, without very long names. */
  listPropertyNames(organizationId: string, limit: number): Promise<string[]> {
    return this.batches.listPropertyNames(organizationId, limit);
  }

  private async findContacts(
    organizationId: string,
    rows: readonly ContactChanges[],
  ): Promise<KnownContact[]> {
    const values = { external_id: [] as string[], email: [] as string[], phone: [] as string[] };
    for (const row of rows) {
      for (const [identifier, value] of identifiersOf(row)) values[identifier].push(value);
    }
    let holders = await this.batches.findHolders(organizationId, values);
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      if (holders.length === 0) return [];
      const known = await this.lockHolders(organizationId, holders);
      if (known.every(isOwn)) return known;
      // If the wait for the locks ended with the end of a merge, a restored contact may have the identifier now.
      const current = await this.batches.findHolders(organizationId, values);
      if (areSame(holders, current)) return known;
      holders = current;
    }
    throw tooManyChanges();
  }

  /** Locks the contacts. Leaves out contacts that do not exist any more. */
  private async lockHolders(
    organizationId: string,
    holders: readonly Holder[],
  ): Promise<KnownContact[]> {
    const ids = [...new Set(holders.map(({ contact_id }) => contact_id))];
    const contacts = new Map(
      (await this.batches.lock(organizationId, ids)).map((contact) => [contact.id, contact]),
    );
    return holders.flatMap(({ identifier, value, contact_id }) => {
      const contact = contacts.get(contact_id);
      return contact ? [{ identifier, value, contact }] : [];
    });
  }

  private async insert(
    organizationId: string,
    rows: readonly ContactChanges[],
    plan: BatchPlan,
    options: BatchOptions,
  ): Promise<void> {
    const created = plan.contacts.filter(({ before }) => before === undefined);
    if (created.length === 0) return;
    const times = await this.batches.insert(organizationId, created);
    for (const contact of created) {
      const at = times.get(contact.id);
      if (at) await this.publish(organizationId, contact, at, options);
      else await this.writeRows(organizationId, rows, plan, contact, options);
    }
  }

  private async update(
    organizationId: string,
    rows: readonly ContactChanges[],
    plan: BatchPlan,
    options: BatchOptions,
  ): Promise<void> {
    const changed = plan.contacts.filter(({ before }) => before !== undefined);
    const unwritten = await this.updateUntaken(organizationId, changed, options);
    for (const contact of unwritten) {
      await this.writeRows(organizationId, rows, plan, contact, options);
    }
  }

  /**
   * Updates and publishes the contacts. Returns the contacts that were not updated because another contact has taken an
   * identifier since the look-up. Halves a group with such a contact, so that the other contacts need few statements.
   */
  private async updateUntaken(
    organizationId: string,
    contacts: readonly BatchedContact[],
    options: BatchOptions,
  ): Promise<BatchedContact[]> {
    if (contacts.length === 0) return [];
    const times = await this.batches.update(organizationId, contacts);
    if (!times) {
      if (contacts.length === 1) return [...contacts];
      const middle = contacts.length >> 1;
      return [
        ...(await this.updateUntaken(organizationId, contacts.slice(0, middle), options)),
        ...(await this.updateUntaken(organizationId, contacts.slice(middle), options)),
      ];
    }
    const unwritten: BatchedContact[] = [];
    for (const contact of contacts) {
      const at = times.get(contact.id);
      if (at) await this.publish(organizationId, contact, at, options);
      else unwritten.push(contact);
    }
    return unwritten;
  }

  /** Writes the rows of one contact one after the other, because another contact has taken one of its identifiers. */
  private async writeRows(
    organizationId: string,
    rows: readonly ContactChanges[],
    { outcomes }: BatchPlan,
    contact: BatchedContact,
    options: BatchOptions,
  ): Promise<void> {
    for (const index of contact.rows) {
      outcomes[index] = await this.writeRow(organizationId, rows[index]!, options);
    }
  }

  /**
   * Looks up the contacts of the row again and writes the row by the same rules as a batch. Throws `unavailable` when
   * its identifiers are taken again and again between the look-up and the write.
   */
  private async writeRow(
    organizationId: string,
    row: ContactChanges,
    options: BatchOptions,
  ): Promise<RowOutcome> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const known = await this.findContacts(organizationId, [row]);
      const { outcomes, contacts } = planBatch([row], known, options);
      const [contact] = contacts;
      if (!contact) return outcomes[0]!;
      const times = contact.before
        ? await this.batches.update(organizationId, contacts)
        : await this.batches.insert(organizationId, contacts);
      const at = times?.get(contact.id);
      if (!at) continue;
      await this.publish(organizationId, contact, at, options);
      return outcomes[0]!;
    }
    throw tooManyChanges();
  }

  private async publish(
    organizationId: string,
    { id, before, fields }: BatchedContact,
    at: Date,
    { emitsEvents }: BatchOptions,
  ): Promise<void> {
    this.changes.publish(organizationId, resourceChange('contacts', id));
    if (!emitsEvents) return;
    const view = (values: ContactFields, times: Pick<Contact, 'createdAt' | 'updatedAt'>) =>
      ContactView.of({ organizationId, id, searchText: '', ...values, ...times });
    const after = view(fields, { createdAt: before?.createdAt ?? at, updatedAt: at });
    for (const event of contactEvents(before ? view(before, before) : null, after)) {
      await this.events.emit(organizationId, event);
    }
  }
}

/** Returns false for an alias, and for an identifier that the contact has lost. */
function isOwn({ identifier, value, contact }: KnownContact): boolean {
  return contact[IDENTIFIERS[identifier]] === value;
}

function areSame(before: readonly Holder[], after: readonly Holder[]): boolean {
  const keyOf = ({ identifier, value, contact_id }: Holder): string =>
    JSON.stringify([identifier, value, contact_id]);
  const known = new Set(before.map(keyOf));
  return before.length === after.length && after.every((holder) => known.has(keyOf(holder)));
}
