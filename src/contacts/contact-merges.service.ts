import { Injectable } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { ChangeFeed, resourceChange } from '../changes/change-feed.js';
import { AppError, assertFound } from '../errors/app-error.js';
import { DomainEvents } from '../events/domain-events.js';
import { ContactAliasesRepository } from './contact-aliases.repository.js';
import { MOST_ALIASES } from './contact-aliases.service.js';
import { ContactBatchesRepository } from './contact-batches.repository.js';
import { changedFields } from './contact-events.js';
import type { ContactFields } from './contact-fields.js';
import {
  fieldsOf,
  identifiersOf,
  type MergePlan,
  type MergeUndo,
  planMerge,
  restoreMerged,
  revertSurvivor,
} from './contact-merge.js';
import {
  ContactMergesRepository,
  type Merge,
  type MovedRows,
} from './contact-merges.repository.js';
import type { Identifier } from './contact-statements.js';
import type { Contact } from './contact.entity.js';
import { ContactView } from './contact.results.js';
import { ContactsRepository } from './contacts.repository.js';

const MOST_ATTEMPTS = 15;
const LONGEST_PAUSE_MS = 50;
/**
 * The largest number of messages and runs that a merge moves. A merge changes each row, and a statement must end within
 * ten seconds, even on a busy machine.
 */
const MOST_MOVED = 50_000;
const MOST_LISTED = 50;

export interface MergeOutcome extends Pick<MergePlan, 'values' | 'aliases'> {
  contact: Contact;
  mergedId: string;
  moved: MovedRows;
}

export interface UnmergeOutcome {
  contact: Contact;
  survivor: Contact;
  moved: MovedRows;
  /** The identifiers that the restored contact did not get back, because another contact has them now. */
  missing: Identifier[];
}

/**
 * Merges contacts and undoes merges. The caller of each method must have opened a transaction of the organization.
 * An attempt that waits too long for another transaction frees its locks and begins again, which prevents
 * deadlocks.
 */
@Injectable()
export class ContactMergesService {
  constructor(
    private readonly merges: ContactMergesRepository,
    private readonly contacts: ContactsRepository,
    private readonly batches: ContactBatchesRepository,
    private readonly aliases: ContactAliasesRepository,
    private readonly changes: ChangeFeed,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Merges the contact `otherId` into the contact `contactId`. The id `otherId` means the survivor from then on. Throws
   * `not_found`. Throws `conflict` when `otherId` was merged already, or when the result would have too many aliases,
   * tags or properties.
   */
  async merge(organizationId: string, contactId: string, otherId: string): Promise<MergeOutcome> {
    const outcome = await this.attempt(organizationId, async () => {
      const pair = await this.lockPair(organizationId, contactId, otherId);
      return pair && (await this.mergePair(organizationId, ...pair));
    });
    this.publish(organizationId, contactId, otherId, outcome.contact.id);
    return outcome;
  }

  /**
   * Restores a merged contact. Throws `not_found` for an id that was not merged. Throws `conflict` when the merge is
   * too old, when a later merge must be undone first, or when one of the contacts would have no identifier.
   */
  async unmerge(organizationId: string, mergedId: string): Promise<UnmergeOutcome> {
    const outcome = await this.attempt(organizationId, async () => {
      const survivor = await this.contacts.findForUpdate(organizationId, mergedId);
      // The survivor is locked first, because a merge locks it first.
      const merge = await this.merges.findForUpdate(organizationId, mergedId);
      if (!merge)
        throw new AppError(
          'not_found',
          'This contact was not merged into another one. List merges with list_contact_merges.',
        );
      if (survivor?.id !== merge.survivorId) return undefined;
      return await this.restorePair(organizationId, survivor, merge, undoOf(merge));
    });
    this.publish(organizationId, mergedId, outcome.survivor.id);
    return outcome;
  }

  /** Returns the merges into a contact that can be undone, newest first. Throws `not_found`. */
  async list(organizationId: string, contactId: string): Promise<Merge[]> {
    const contact = assertFound(await this.contacts.find(organizationId, contactId), 'contact');
    return await this.merges.listUndoable(organizationId, contact.id, MOST_LISTED);
  }

  /**
   * Repeats `work` until it returns a result. `work` has no result when it gets no lock, or when the contacts changed
   * while it waited for the lock. Throws `unavailable` after {@link MOST_ATTEMPTS} attempts.
   */
  private async attempt<T>(organizationId: string, work: () => Promise<T | undefined>): Promise<T> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const result = await this.merges.tryWithoutWaiting(organizationId, work);
      if (result !== undefined) return result;
      await pause(Math.random() * LONGEST_PAUSE_MS);
    }
    throw new AppError('unavailable', 'Other calls are changing these contacts. Try again.', {
      retryAfterSeconds: 2,
    });
  }

  /** Locks both contacts in the order of their ids. Returns undefined when one of them was merged meanwhile. */
  private async lockPair(
    organizationId: string,
    contactId: string,
    otherId: string,
  ): Promise<[survivor: Contact, merged: Contact] | undefined> {
    const found = await this.contacts.find(organizationId, contactId);
    const { id: survivorId } = assertFound(found, 'contact');
    const other = assertFound(await this.contacts.find(organizationId, otherId), 'contact');
    if (survivorId === otherId) {
      throw AppError.invalidField('other_id', 'must be the id of another contact');
    }
    if (other.id !== otherId) {
      throw new AppError('conflict', `The contact ${otherId} was merged into ${other.id} already.`);
    }
    const locked = await this.batches.lock(organizationId, [survivorId, otherId]);
    const survivor = locked.find(({ id }) => id === survivorId);
    const merged = locked.find(({ id }) => id === otherId);
    // If the wait for the locks ended with the end of a merge, `contactId` means the restored contact now.
    if ((await this.contacts.find(organizationId, contactId))?.id !== survivorId) return undefined;
    return survivor && merged && [survivor, merged];
  }

  private async mergePair(
    organizationId: string,
    survivor: Contact,
    merged: Contact,
  ): Promise<MergeOutcome> {
    const before = fieldsOf(survivor);
    const { fields, values, aliases } = planMerge(before, fieldsOf(merged));
    await this.assertSmallEnough(organizationId, survivor, merged, aliases.length);
    const moved = await this.merges.move(organizationId, merged.id, survivor.id, {
      merged: { ...fieldsOf(merged), createdAt: merged.createdAt.toISOString() },
      before,
      after: fields,
      aliases,
    });
    await this.contacts.delete(organizationId, merged.id);
    for (const alias of aliases) await this.aliases.insert(organizationId, survivor.id, alias);
    const contact = await this.merges.withOrigin(organizationId, 'merge', () =>
      this.write(organizationId, survivor, fields),
    );
    await this.emit(organizationId, contact, 'contact.merged', { merged_id: merged.id });
    return { contact, mergedId: merged.id, moved, values, aliases };
  }

  private async restorePair(
    organizationId: string,
    survivor: Contact,
    { mergedId }: Merge,
    undo: MergeUndo,
  ): Promise<UnmergeOutcome> {
    const current = fieldsOf(survivor);
    await this.merges.deleteAliases(organizationId, survivor.id, undo.aliases);
    const reverted = await this.write(organizationId, survivor, revertSurvivor(current, undo));
    const missing: Identifier[] = [];
    for (const { kind, value } of identifiersOf(undo.merged)) {
      if (await this.contacts.findByIdentifier(organizationId, kind, value)) missing.push(kind);
    }
    const fields = restoreMerged(current, undo, missing);
    const { createdAt } = undo.merged;
    const isRestored = await this.merges.withOrigin(organizationId, 'unmerge', () =>
      this.merges.restore(organizationId, mergedId, fields, createdAt),
    );
    if (!isRestored) {
      throw new AppError('unavailable', 'Another call is taking an identifier. Try again.');
    }
    const moved = await this.merges.moveBack(organizationId, mergedId, survivor.id);
    await this.merges.refreshSearch(organizationId, mergedId, fields);
    await this.merges.refreshSearch(organizationId, survivor.id, fieldsOf(reverted));
    const contact = assertFound(await this.contacts.find(organizationId, mergedId), 'contact');
    return { contact, survivor: reverted, moved, missing };
  }

  private async assertSmallEnough(
    organizationId: string,
    survivor: Contact,
    merged: Contact,
    newAliases: number,
  ): Promise<void> {
    const rows = await this.merges.countRows(organizationId, merged.id, MOST_MOVED + 1);
    if (rows > MOST_MOVED) {
      const limit = `A contact with more than ${MOST_MOVED} messages and runs cannot be merged into another one.`;
      throw new AppError('conflict', `${limit} Merge the other contact into it.`);
    }
    const [own, others] = [
      await this.aliases.list(organizationId, survivor.id),
      await this.aliases.list(organizationId, merged.id),
    ];
    const aliases = own.length + others.length + newAliases;
    if (aliases > MOST_ALIASES) {
      const message = `The contact would have ${aliases} aliases, more than ${MOST_ALIASES}. Remove some first.`;
      throw new AppError('conflict', message);
    }
  }

  /** Stores the fields of a locked contact, and emits the event if the fields have changed. */
  private async write(
    organizationId: string,
    contact: Contact,
    fields: ContactFields,
  ): Promise<Contact> {
    const updatedAt = await this.contacts.update(organizationId, contact.id, fields);
    if (!(updatedAt instanceof Date)) {
      throw new AppError('unavailable', `Another call is taking the ${updatedAt}. Try again.`);
    }
    const written = { ...contact, ...fields, updatedAt };
    const changed = changedFields(ContactView.of(contact), ContactView.of(written));
    // The person got this tag when the other contact got it, so no contact.tagged is emitted.
    if (changed.length > 0)
      await this.emit(organizationId, written, 'contact.updated', { changed });
    return written;
  }

  private async emit(
    organizationId: string,
    contact: Contact,
    name: 'contact.updated' | 'contact.merged',
    more: object,
  ): Promise<void> {
    const payload = { event: name, contact: ContactView.of(contact), ...more };
    await this.events.emit(organizationId, { name, contactId: contact.id, payload });
  }

  private publish(organizationId: string, ...ids: string[]): void {
    for (const id of new Set(ids)) {
      this.changes.publish(organizationId, resourceChange('contacts', id));
    }
  }
}

function undoOf({ mergedId, intoId, survivorId, undo }: Merge): MergeUndo {
  if (!undo) {
    throw new AppError('conflict', 'This merge is older than 30 days and can no longer be undone.');
  }
  if (survivorId === intoId) return undo;
  const later = `The contact ${intoId}, into which ${mergedId} was merged, was merged into another one later.`;
  throw new AppError(
    'conflict',
    `${later} Undo that merge first: unmerge_contacts with ${intoId}.`,
  );
}
