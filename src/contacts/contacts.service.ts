import { Injectable } from '@nestjs/common';
import { resourceChange } from '../changes/change.js';
import { ChangeFeed } from '../changes/change-feed.js';
import { newId } from '../text/ids.js';
import { AppError } from '../errors/app-error.js';
import { DomainEvents } from '../events/domain-events.js';
import { fingerprint } from '../text/canonical-json.js';
import { pageOf } from '../paging/paging.js';
import { contactEvents } from './contact-events.js';
import { applyChanges, type ContactChanges, NO_FIELDS } from './contact-fields.js';
import type { ContactFilter } from './contact-filter.js';
import type { ContactOrder } from './contact-order.js';
import { ContactView } from './contact.results.js';
import type { Contact } from './contact.entity.js';
import { ContactsRepository, IDENTIFIERS, type Identifier } from './contacts.repository.js';

// Only a contact that is deleted between two statements makes another attempt necessary.
const MOST_ATTEMPTS = 5;
const MOST_TAGS = 50;

export interface ContactSearch {
  text: string | undefined;
  filters: readonly ContactFilter[];
}

/** The contacts of organizations. Every method runs in a transaction of the organization that its caller has opened. */
@Injectable()
export class ContactsService {
  constructor(
    private readonly contacts: ContactsRepository,
    private readonly changes: ChangeFeed,
    private readonly events: DomainEvents,
  ) {}

  find(organizationId: string, id: string): Promise<Contact | null> {
    return this.contacts.find(organizationId, id);
  }

  /** Throws `not_found` when the organization has no such contact. */
  async get(organizationId: string, id: string): Promise<Contact> {
    return found(await this.contacts.find(organizationId, id));
  }

  /** The address may be in any case. */
  findByEmail(organizationId: string, email: string): Promise<Contact | null> {
    return this.contacts.findByIdentifier(organizationId, 'email', email.toLowerCase());
  }

  /** The number must be in E.164 form, as `parsePhone` returns it. */
  findByPhone(organizationId: string, phone: string): Promise<Contact | null> {
    return this.contacts.findByIdentifier(organizationId, 'phone', phone);
  }

  findByExternalId(organizationId: string, externalId: string): Promise<Contact | null> {
    return this.contacts.findByIdentifier(organizationId, 'external_id', externalId);
  }

  /** At most `limit` contacts whose id, a name or an identifier begins with the text, in any case; newest first. */
  startingWith(organizationId: string, text: string, limit: number): Promise<Contact[]> {
    return this.contacts.startingWith(organizationId, text, limit);
  }

  /**
   * Makes a contact. When one of its identifiers is taken, throws `conflict` and names it, or with `update` changes
   * the contact that has it, or with `merge` likewise but for its tags, which it keeps; identifiers of several contacts
   * are a conflict always.
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
        await this.told(null, inserted);
        return { contact: inserted, created: true };
      }
      const holders = await this.holders(organizationId, changes);
      const [first] = holders;
      if (!first) continue;
      if (onConflict === 'error') throw taken(holders);
      const other = holders.find(({ contact }) => contact.id !== first.contact.id);
      if (other) throw taken([other]);
      const contact = await this.contacts.findForUpdate(organizationId, first.contact.id);
      if (!contact) continue;
      const wanted = onConflict === 'merge' ? withTagsOf(contact, changes) : changes;
      return { contact: await this.change(contact, wanted, source), created: false };
    }
    throw new AppError('unavailable', 'The contact is being changed by others. Try again.');
  }

  /** Throws `not_found`, or `conflict` naming the identifier that another contact has. */
  async update(
    organizationId: string,
    id: string,
    changes: ContactChanges,
    source: string,
  ): Promise<Contact> {
    const contact = found(await this.contacts.findForUpdate(organizationId, id));
    return await this.change(contact, changes, source);
  }

  /** As `update`, but tags are added to those that the contact has. */
  async merge(
    organizationId: string,
    id: string,
    changes: ContactChanges,
    source: string,
  ): Promise<Contact> {
    const contact = found(await this.contacts.findForUpdate(organizationId, id));
    return await this.change(contact, withTagsOf(contact, changes), source);
  }

  /** Deletes the contact; its messages and runs stay. Throws `not_found`. */
  async delete(organizationId: string, id: string): Promise<void> {
    if (!(await this.contacts.delete(organizationId, id))) throw AppError.notFound('contact');
    this.changes.publish(organizationId, resourceChange('contacts', id));
  }

  /** One page, and the cursor of the next one unless this was the last. */
  async search(
    organizationId: string,
    search: ContactSearch,
    order: ContactOrder,
    page: { limit: number; cursor: string | undefined },
  ): Promise<{ contacts: Contact[]; nextCursor: string | null }> {
    // Most searches neither come with a cursor nor need one.
    const print = (): string => fingerprint(search).toString('base64url').slice(0, 16);
    const position = page.cursor === undefined ? undefined : order.decode(page.cursor, print());
    const rows = await this.contacts.search(
      organizationId,
      search,
      order,
      position,
      page.limit + 1,
    );
    const { page: contacts, nextCursor } = pageOf(rows, page.limit, (last) =>
      order.encode(order.positionOf({ ...last }), print()),
    );
    return { contacts, nextCursor };
  }

  private async change(
    contact: Contact,
    changes: ContactChanges,
    source: string,
  ): Promise<Contact> {
    if (Object.values(changes).every((value) => value === undefined)) return contact;
    const before = ContactView.of(contact);
    const { organizationId, id, createdAt, updatedAt: _, searchText: __, ...current } = contact;
    const fields = applyChanges(current, changes, source, new Date());
    const updated = await this.contacts.update(organizationId, id, fields);
    if (updated instanceof Date) {
      Object.assign(contact, fields, { createdAt, updatedAt: updated });
      await this.told(before, contact);
      return contact;
    }
    throw taken([{ identifier: updated }]);
  }

  private async told(before: ContactView | null, contact: Contact): Promise<void> {
    const { organizationId, id } = contact;
    this.changes.publish(organizationId, resourceChange('contacts', id));
    for (const event of contactEvents(before, ContactView.of(contact))) {
      await this.events.emit(organizationId, event);
    }
  }

  private async holders(
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

function withTagsOf(contact: Contact, changes: ContactChanges): ContactChanges {
  if (!changes.tags) return changes;
  const tags = [...new Set([...contact.tags, ...changes.tags])];
  if (tags.length <= MOST_TAGS) return { ...changes, tags };
  const message = `would be more than ${MOST_TAGS} with those that the contact has`;
  throw AppError.invalid(`tags ${message}.`, [{ path: 'tags', message }]);
}

function found(contact: Contact | null): Contact {
  if (!contact) throw AppError.notFound('contact');
  return contact;
}

function taken(holders: readonly { identifier: Identifier; contact?: Contact }[]): AppError {
  const details = holders.map(({ identifier, contact }) => ({
    path: identifier,
    message: contact ? `is that of the contact ${contact.id}` : 'is that of another contact',
  }));
  const first = details[0]!;
  return new AppError('conflict', `${first.path} ${first.message}.`, { details });
}
