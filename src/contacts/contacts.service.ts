import { Injectable } from '@nestjs/common';
import { ChangeFeed, resourceChange } from '../changes/change-feed.js';
import { AppError, assertFound } from '../errors/app-error.js';
import { DomainEvents } from '../events/domain-events.js';
import { pageOf } from '../paging/paging.js';
import { fingerprint } from '../text/canonical-json.js';
import { newId } from '../text/ids.js';
import { normalizeEmail } from '../text/parse-email.js';
import { contactEvents } from './contact-events.js';
import {
  identifierConflict,
  mergeTags,
  tooManyChanges,
  withoutAliases,
} from './contact-conflicts.js';
import { type ContactChanges, NO_FIELDS, applyChanges } from './contact-fields.js';
import type { ContactOrder } from './contact-order.js';
import type { Contact } from './contact.entity.js';
import { ContactView } from './contact.results.js';
import type { FilterNode } from './filter-fields.js';
import { ContactRulesService } from './contact-rules.service.js';
import { parsePhone } from './parse-field.js';
import { IDENTIFIERS, type Identifier } from './contact-statements.js';
import type { Removable } from './removable.js';
import { ContactSearchRepository } from './contact-search.repository.js';
import { ContactsRepository, type TraceCounts } from './contacts.repository.js';

// Another attempt is needed only when the contact with the identifier is deleted, or loses it, between two statements.
const MOST_ATTEMPTS = 5;
/** The largest number of messages that one transaction deletes together with their contact. */
const MOST_REMOVED = 50_000;
/** The largest number up to which contacts are counted, so that a count takes a limited time. */
const MOST_COUNTED = 10_000;

export interface ContactSearch {
  text: string | undefined;
  filters: readonly FilterNode[];
}

/** The id, address or external id by which a caller names a contact. Exactly one member is set. */
export type ContactKey = Partial<Record<'contact_id' | Identifier, string>>;

/** Manages the contacts of organizations. The caller of each method must have opened a transaction of the organization. */
@Injectable()
export class ContactsService {
  constructor(
    private readonly contacts: ContactsRepository,
    private readonly searches: ContactSearchRepository,
    private readonly changes: ChangeFeed,
    private readonly events: DomainEvents,
    private readonly rules: ContactRulesService,
  ) {}

  /** Finds a contact by its id, or by the id of a contact that was merged into it. */
  find(organizationId: string, id: string): Promise<Contact | null> {
    return this.contacts.find(organizationId, id);
  }

  /** Returns the id of the contact or its survivor. Nobody can delete that contact until the transaction ends. */
  async keep(organizationId: string, id: string): Promise<string> {
    return assertFound(await this.contacts.keep(organizationId, id), 'contact');
  }

  /**
   * Returns the id of the contact that {@link getBy} finds, and locks the contact. Until the transaction ends, `key`
   * identifies this contact.
   */
  async keepBy(organizationId: string, key: ContactKey): Promise<string> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const { id } = await this.getBy(organizationId, key);
      const kept = await this.keep(organizationId, id);
      // If the wait for the lock ended with the end of a merge, the restored contact has the key now.
      if ((await this.getBy(organizationId, key)).id === kept) return kept;
    }
    throw tooManyChanges();
  }

  /** Returns a contact. Throws `not_found` when the organization has no such contact. */
  async get(organizationId: string, id: string): Promise<Contact> {
    return assertFound(await this.contacts.find(organizationId, id), 'contact');
  }

  /** Finds a contact by an e-mail address in upper or lower case, which may be an alias. */
  findByEmail(organizationId: string, email: string): Promise<Contact | null> {
    return this.contacts.findByIdentifier(organizationId, 'email', normalizeEmail(email));
  }

  /**
   * Returns the contact that `key` identifies; an address may be an alias. Throws `invalid_arguments` if `key` does not
   * have exactly one member, and `not_found` with a message that ends with `hint`.
   */
  async getBy(
    organizationId: string,
    key: ContactKey,
    hint = 'Add one with create_contact first.',
  ): Promise<Contact> {
    const given = Object.entries(key).filter(([, value]) => value !== undefined);
    if (given.length !== 1) {
      const names = Object.keys(key)
        .join(', ')
        .replace(/, (\w+)$/, ' and $1');
      const message = `exactly one of ${names}`;
      throw AppError.invalid(`Give ${message}.`, [{ path: '', message: `needs ${message}` }]);
    }
    const [name, value] = given[0] as [keyof ContactKey, string];
    if (name === 'contact_id') return await this.get(organizationId, value);
    const stored = await this.normalizeIdentifier(organizationId, name, value);
    const contact = await this.contacts.findByIdentifier(organizationId, name, stored);
    if (!contact) throw new AppError('not_found', `No contact has this ${name}. ${hint}`);
    return contact;
  }

  /** Returns at most `limit` contacts whose id, name or identifier starts with `text`, newest first. Ignores case. */
  listStartingWith(organizationId: string, text: string, limit: number): Promise<Contact[]> {
    return this.searches.listStartingWith(organizationId, text, limit);
  }

  /**
   * Creates a contact. When another contact has one of the identifiers, also as an alias, `onConflict` decides: `error`
   * throws `conflict`, `update` changes the other contact, and `merge` changes the other contact but keeps its tags. An
   * alias stays an alias. Identifiers of several contacts always cause a `conflict`.
   */
  async create(
    organizationId: string,
    changes: ContactChanges,
    onConflict: 'error' | 'update' | 'merge',
    source: string,
  ): Promise<{ contact: Contact; created: boolean }> {
    const fields = applyChanges(NO_FIELDS, changes, source, new Date());
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const inserted = await this.contacts.insert(organizationId, newId('con'), fields);
      if (inserted) {
        await this.publishContactChange(null, inserted);
        return { contact: inserted, created: true };
      }
      const holders = await this.findHolders(organizationId, changes);
      const [first] = holders;
      if (!first) continue;
      if (onConflict === 'error') throw identifierConflict(holders);
      const other = holders.find(({ contact }) => contact.id !== first.contact.id);
      if (other) throw identifierConflict([other]);
      const contact = await this.contacts.findForUpdate(organizationId, first.contact.id);
      // Meanwhile, the contact was deleted, or merged into another contact, which may have other addresses.
      if (contact?.id !== first.contact.id) continue;
      // Meanwhile, a merge was undone, and the restored contact has its addresses again.
      if (!(await this.isHolder(contact, holders, changes))) continue;
      const given = withoutAliases(holders, changes);
      const changed = await this.change(contact, given, source, onConflict);
      return { contact: changed, created: false };
    }
    throw tooManyChanges();
  }

  /** Changes a contact. Throws `not_found`, or `conflict` with a taken identifier. `merge` keeps existing tags. */
  async update(
    organizationId: string,
    id: string,
    changes: ContactChanges,
    source: string,
    mode: 'update' | 'merge' = 'update',
  ): Promise<Contact> {
    const found = await this.contacts.findForUpdate(organizationId, id);
    return await this.change(assertFound(found, 'contact'), changes, source, mode);
  }

  /**
   * Deletes the contact. Also deletes its messages or the suppressions of its addresses, if `remove` names them.
   * Returns what was deleted and what stays. Throws `not_found`, and `conflict` for a merged contact or too many
   * messages.
   */
  async delete(
    organizationId: string,
    id: string,
    remove: readonly Removable[] = [],
  ): Promise<{ removed: TraceCounts; kept: TraceCounts }> {
    const found = await this.contacts.countTraces(organizationId, id);
    if (!found) {
      const { id: survivor } = await this.get(organizationId, id);
      // The caller may want to remove only a duplicate, but the deletion would remove the survivor.
      const message = `This contact was merged into ${survivor}. To delete that contact, use its id.`;
      throw new AppError('conflict', message);
    }
    if (remove.includes('messages') && found.messages > MOST_REMOVED) {
      const most = `At most ${MOST_REMOVED} can be deleted with it.`;
      throw new AppError('conflict', `The contact has ${found.messages} messages. ${most}`);
    }
    const removed = { messages: 0, runs: 0, suppressions: 0 };
    for (const kind of new Set(remove))
      removed[kind] = await this.contacts.deleteTraces(organizationId, id, kind);
    await this.contacts.delete(organizationId, id);
    this.changes.publish(organizationId, resourceChange('contacts', id));
    const kept = { ...found, messages: found.messages - removed.messages };
    return { removed, kept: { ...kept, suppressions: found.suppressions - removed.suppressions } };
  }

  /** Returns one page and the cursor of the next page, or null on the last page. */
  async search(
    organizationId: string,
    search: ContactSearch,
    order: ContactOrder,
    page: { limit: number; cursor: string | undefined },
  ): Promise<{ contacts: Contact[]; nextCursor: string | null }> {
    // The hash is computed on demand, because most searches neither send nor return a cursor.
    const searchKey = (): string => fingerprint(search).toString('base64url').slice(0, 16);
    const position = page.cursor === undefined ? undefined : order.decode(page.cursor, searchKey());
    const rows = await this.searches.search(
      organizationId,
      search,
      order,
      position,
      page.limit + 1,
    );
    const { page: contacts, nextCursor } = pageOf(
      rows,
      page.limit,
      (last) => order.encode(order.positionOf({ ...last }), searchKey()),
      ({ properties }) => JSON.stringify(properties).length,
    );
    return { contacts, nextCursor };
  }

  /** Returns an identifier in the form in which it is stored. Throws `invalid_arguments` for a wrong phone number. */
  private async normalizeIdentifier(
    organizationId: string,
    name: Identifier,
    value: string,
  ): Promise<string> {
    if (name === 'email') return normalizeEmail(value);
    if (name === 'external_id') return value;
    const { region } = await this.rules.rulesForPhones(organizationId, [value]);
    const phone = parsePhone(value, region);
    if ('fault' in phone) throw AppError.invalidField(name, phone.fault);
    return phone.value;
  }

  /** Counts the contacts that match, exactly up to 10,000. */
  async count(
    organizationId: string,
    search: ContactSearch,
  ): Promise<{ count: number; isComplete: boolean }> {
    const found = await this.searches.count(organizationId, search, MOST_COUNTED + 1);
    return { count: Math.min(found, MOST_COUNTED), isComplete: found <= MOST_COUNTED };
  }

  private async change(
    contact: Contact,
    given: ContactChanges,
    source: string,
    mode: 'update' | 'merge',
  ): Promise<Contact> {
    const changes = mode === 'merge' ? mergeTags(contact, given) : given;
    if (Object.values(changes).every((value) => value === undefined)) return contact;
    const before = ContactView.of(contact);
    const { organizationId, id, createdAt, updatedAt: _, searchText: __, ...current } = contact;
    const fields = applyChanges(current, changes, source, new Date());
    const updated = await this.contacts.update(organizationId, id, fields);
    if (!(updated instanceof Date)) throw identifierConflict([{ identifier: updated }]);
    Object.assign(contact, fields, { createdAt, updatedAt: updated });
    await this.publishContactChange(before, contact);
    return contact;
  }

  private async publishContactChange(before: ContactView | null, contact: Contact): Promise<void> {
    const { organizationId, id } = contact;
    this.changes.publish(organizationId, resourceChange('contacts', id));
    for (const event of contactEvents(before, ContactView.of(contact))) {
      await this.events.emit(organizationId, event);
    }
  }

  /** Returns true if no other contact has an identifier by which the locked contact was found. */
  private async isHolder(
    contact: Contact,
    holders: readonly { identifier: Identifier }[],
    changes: ContactChanges,
  ): Promise<boolean> {
    const columns = holders.map(({ identifier }) => IDENTIFIERS[identifier]);
    if (columns.every((column) => contact[column] === changes[column])) return true;
    const current = await this.findHolders(contact.organizationId, changes);
    return current.every(({ contact: { id } }) => id === contact.id);
  }

  /** For each identifier in `changes`, finds the contact that has this identifier. */
  private async findHolders(
    organizationId: string,
    changes: ContactChanges,
  ): Promise<{ identifier: Identifier; contact: Contact }[]> {
    const holders: { identifier: Identifier; contact: Contact }[] = [];
    for (const identifier of Object.keys(IDENTIFIERS) as Identifier[]) {
      const value = changes[IDENTIFIERS[identifier]];
      if (value === undefined || value === null) continue;
      const contact = await this.contacts.findByIdentifier(organizationId, identifier, value);
      if (contact) holders.push({ identifier, contact });
    }
    return holders;
  }
}
