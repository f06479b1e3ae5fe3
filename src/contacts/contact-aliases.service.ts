import { Injectable } from '@nestjs/common';
import { ChangeFeed, resourceChange } from '../changes/change-feed.js';
import { AppError, assertFound } from '../errors/app-error.js';
import { type Parsed, parseEmail } from '../text/parse-email.js';
import type { ContactAlias } from './contact-alias.entity.js';
import { type AliasAddress, ContactAliasesRepository } from './contact-aliases.repository.js';
import type { Contact } from './contact.entity.js';
import { ContactRulesService } from './contact-rules.service.js';
import { ContactsRepository } from './contacts.repository.js';
import type { ContactRules } from './contact-rules.js';
import { IDENTIFIERS, type Identifier } from './contact-statements.js';
import { parsePhone, parseText } from './parse-field.js';

export const MOST_ALIASES = 50;
const LONGEST_EXTERNAL_ID = 255;

/** An address that a caller sent. Exactly one member is present: the member for the kind of the address. */
export type GivenAddress = Partial<Record<Identifier, string>>;

/**
 * Manages the further addresses of contacts. Every look-up by address finds a contact by its aliases too. The caller of
 * each method must have opened a transaction of the organization.
 */
@Injectable()
export class ContactAliasesService {
  constructor(
    private readonly aliases: ContactAliasesRepository,
    private readonly contacts: ContactsRepository,
    private readonly rules: ContactRulesService,
    private readonly changes: ChangeFeed,
  ) {}

  /** Returns the aliases of a contact. Throws `not_found` when the organization has no such contact. */
  async list(organizationId: string, contactId: string): Promise<ContactAlias[]> {
    const contact = assertFound(await this.contacts.find(organizationId, contactId), 'contact');
    return await this.aliases.list(organizationId, contact.id);
  }

  /**
   * Adds an address to a contact. Returns the alias as it is stored, even when the contact has this alias already.
   * Throws `not_found` and `invalid_arguments`. Throws `conflict` when the contact has too many aliases, or when the
   * address belongs to another contact or is the contact's own address.
   */
  async add(organizationId: string, contactId: string, given: GivenAddress): Promise<ContactAlias> {
    const address = await this.parse(organizationId, given);
    // The lock makes additions to one contact wait for each other, so that together they cannot exceed the limit.
    const contact = await this.lock(organizationId, contactId);
    const before = await this.aliases.list(organizationId, contact.id);
    const known = before.find(
      ({ kind, value }) => kind === address.kind && value === address.value,
    );
    if (known) return known;
    if (before.length >= MOST_ALIASES) {
      throw new AppError(
        'conflict',
        `A contact has at most ${MOST_ALIASES} aliases. Remove one first.`,
      );
    }
    if (!(await this.aliases.insert(organizationId, contact.id, address))) {
      const { kind, value } = address;
      const holder = await this.contacts.findByIdentifier(organizationId, kind, value);
      const whose =
        holder?.id === contact.id ? 'this contact itself' : `the contact ${holder?.id ?? ''}`;
      const message = `belongs to ${holder ? whose : 'another contact'}`;
      throw new AppError('conflict', `${kind} ${message}.`, { details: [{ path: kind, message }] });
    }
    await this.showChange(contact);
    const after = await this.aliases.list(organizationId, contact.id);
    const alias = after.find(({ kind, value }) => kind === address.kind && value === address.value);
    return assertFound(alias ?? null, 'alias');
  }

  /** Removes an address from a contact. Throws `not_found` when the contact has no such alias. */
  async remove(organizationId: string, contactId: string, given: GivenAddress): Promise<void> {
    const address = await this.parse(organizationId, given);
    const contact = await this.lock(organizationId, contactId);
    if (!(await this.aliases.delete(organizationId, contact.id, address))) {
      throw new AppError('not_found', `This contact has no alias ${address.value}.`);
    }
    await this.showChange(contact);
  }

  private async lock(organizationId: string, contactId: string): Promise<Contact> {
    return assertFound(await this.contacts.findForUpdate(organizationId, contactId), 'contact');
  }

  /** Stores the contact again, so that its search text has the aliases, and publishes the change. */
  private async showChange(contact: Contact): Promise<void> {
    const { organizationId, id, createdAt: _, updatedAt: __, ...fields } = contact;
    await this.contacts.update(organizationId, id, fields);
    this.changes.publish(organizationId, resourceChange('contacts', id));
  }

  private async parse(organizationId: string, given: GivenAddress): Promise<AliasAddress> {
    const entries = (Object.keys(IDENTIFIERS) as Identifier[]).flatMap((kind) =>
      given[kind] === undefined ? [] : [[kind, given[kind]] as const],
    );
    const [entry] = entries;
    if (!entry || entries.length > 1) {
      const message = 'needs exactly one of email, phone and external_id';
      throw AppError.invalid('Give exactly one of email, phone and external_id.', [
        { path: '', message },
      ]);
    }
    const [kind, text] = entry;
    const rules = await this.rules.rulesForPhones(organizationId, [given.phone]);
    const parsed = PARSERS[kind](text, rules);
    if ('fault' in parsed) throw AppError.invalidField(kind, parsed.fault);
    return { kind, value: parsed.value };
  }
}

const PARSERS: Record<Identifier, (text: string, rules: ContactRules) => Parsed> = {
  email: parseEmail,
  phone: (text, { region }) => parsePhone(text, region),
  external_id: (text) => parseText(text, LONGEST_EXTERNAL_ID),
};
