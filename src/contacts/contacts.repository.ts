import { Injectable } from '@nestjs/common';
import type { PreparedStatement } from '../database/driver/statement.js';
import { ArgumentSigner } from '../database/transactions/argument-signer.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { ContactFields } from './contact-fields.js';
import {
  COUNT_TRACES,
  DELETE_MESSAGES,
  DELETE_SUPPRESSIONS,
  FIND,
  FIND_BY,
  FIND_FOR_UPDATE,
  FIND_MERGED,
  FIND_MERGED_FOR_UPDATE,
  INSERT,
  type Identifier,
  KEEP,
  UPDATE,
  storedValues,
  takenIdentifier,
} from './contact-statements.js';
import { Contact } from './contact.entity.js';
import type { Removable } from './removable.js';

/** The number of rows about a contact. */
export type TraceCounts = Record<Removable | 'runs', number>;

/**
 * The number of attempts to lock a contact. Each further attempt is needed because a merge, or the end of a merge,
 * committed while the attempt waited.
 */
const MOST_ATTEMPTS = 3;

@Injectable()
export class ContactsRepository {
  /** The contact that the last statement of a transaction found (docs/adr/0016-recent-contact.md). */
  private readonly recent = new WeakMap<object, { version: number; contact: Contact }>();

  constructor(
    private readonly tenants: TenantDatabase,
    private readonly signer: ArgumentSigner,
  ) {}

  /** Finds a contact by its id, or by the id of a contact that was merged into it. */
  async find(organizationId: string, id: string): Promise<Contact | null> {
    const { transaction } = this.tenants.session(organizationId);
    const recent = this.recent.get(transaction);
    return recent?.version === transaction.version && recent.contact.id === id
      ? structuredClone(recent.contact)
      : ((await this.findOne(FIND, organizationId, id)) ??
          (await this.findOne(FIND_MERGED, organizationId, id)));
  }

  /** Finds the contact as {@link find} does, and locks its row until the transaction ends. */
  async findForUpdate(organizationId: string, id: string): Promise<Contact | null> {
    const found = await this.findOne(FIND_FOR_UPDATE, organizationId, id);
    if (found) return found;
    // The statement may have waited for a merge, which deletes the contact. Only a new statement sees the survivor.
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const locked = await this.findOne(FIND_MERGED_FOR_UPDATE, organizationId, id);
      // This statement may have waited until the merge was undone. Without the second look-up, the survivor would get
      // the changes of the restored contact.
      const current = locked && (await this.findOne(FIND_MERGED, organizationId, id));
      if (current && current.id === locked.id) return locked;
    }
    return null;
  }

  /**
   * Locks the contact, or the survivor of its merge, and returns the id of the locked contact. A row that refers to
   * this id can then be inserted. Returns null for an unknown id.
   */
  async keep(organizationId: string, id: string): Promise<string | null> {
    const [kept] = await this.tenants
      .session(organizationId)
      .query<{ id: string | null }>(KEEP, [organizationId, id]);
    return kept!.id;
  }

  /** Finds the contact by e-mail address, phone number or external id. Aliases are searched too. */
  async findByIdentifier(
    organizationId: string,
    identifier: Identifier,
    value: string,
  ): Promise<Contact | null> {
    return await this.findOne(FIND_BY[identifier], organizationId, value);
  }

  /** Inserts the contact. Returns undefined, without aborting the transaction, when an identifier is taken. */
  async insert(
    organizationId: string,
    id: string,
    fields: ContactFields,
  ): Promise<Contact | undefined> {
    const session = this.tenants.session(organizationId);
    const [times] = await session.query<Pick<Contact, 'createdAt' | 'updatedAt'>>(
      INSERT,
      storedValues(organizationId, id, fields),
    );
    return times && Object.assign(new Contact(), { organizationId, id, ...fields, ...times });
  }

  /**
   * Writes the fields. Returns the new `updatedAt`. When another contact has an identifier, returns the name of
   * this identifier, and the transaction stays usable.
   */
  async update(
    organizationId: string,
    id: string,
    fields: ContactFields,
  ): Promise<Date | Identifier> {
    try {
      // Without this savepoint, a taken identifier would abort the whole transaction, which may belong to a step of a
      // run.
      return await this.tenants.savepoint(organizationId, async () => {
        const [updated] = await this.tenants
          .session(organizationId)
          .query<Pick<Contact, 'updatedAt'>>(UPDATE, storedValues(organizationId, id, fields));
        return updated!.updatedAt;
      });
    } catch (error) {
      const taken = takenIdentifier(error);
      if (taken) return taken;
      throw error;
    }
  }

  /** Counts the rows about the contact in other tables. Returns null when there is no such contact. */
  async countTraces(organizationId: string, id: string): Promise<TraceCounts | null> {
    const [traces] = await this.tenants
      .session(organizationId)
      .query<TraceCounts>(COUNT_TRACES, [organizationId, id]);
    return traces ?? null;
  }

  /** Deletes data of one kind about the contact, and returns the number of deleted rows. */
  async deleteTraces(organizationId: string, id: string, kind: Removable): Promise<number> {
    const command = JSON.stringify({ organization_id: organizationId, contact_id: id });
    const session = this.tenants.session(organizationId);
    const [deleted] =
      kind === 'messages'
        ? await session.query<{ count: number }>(DELETE_MESSAGES, [
            command,
            this.signer.sign('message deletion', command),
          ])
        : await session.query<{ count: number }>(DELETE_SUPPRESSIONS, [organizationId, id]);
    return deleted!.count;
  }

  async delete(organizationId: string, id: string): Promise<void> {
    await this.tenants.repository(organizationId, Contact).delete({ organizationId, id });
  }

  private async findOne(
    statement: PreparedStatement,
    organizationId: string,
    value: string,
  ): Promise<Contact | null> {
    const session = this.tenants.session(organizationId);
    const version = session.transaction.version + 1;
    const [contact] = await session.query<Contact>(statement, [organizationId, value]);
    if (!contact) return null;
    // Another statement that was sent at the same moment may have changed the contact.
    if (session.transaction.version === version) {
      this.recent.set(session.transaction, { version, contact: structuredClone(contact) });
    }
    return contact;
  }
}
