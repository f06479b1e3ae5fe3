import { Injectable } from '@nestjs/common';
import { type ContactChanges, parseChanges } from '../../contacts/contact-fields.js';
import type { Contact } from '../../contacts/contact.entity.js';
import { ContactsService } from '../../contacts/contacts.service.js';
import { CreateContactInput } from '../../contacts/contact.inputs.js';
import { parseArguments } from '../../tools/schema/parse-arguments.js';
import { dtoSchema } from '../../tools/schema/dto-schema.js';
import { RunsRepository } from '../journal/runs.repository.js';
import { tidyFields } from '../triggers/tidy-fields.js';

/** Says whom a run is about. */
@Injectable()
export class RunContacts {
  constructor(
    private readonly runs: RunsRepository,
    private readonly contacts: ContactsService,
  ) {}

  /**
   * Makes or updates the contact that the fields name, and makes it the contact of the run. Where no identifier is
   * given, it updates the contact that the run has. Throws `invalid_arguments` for fields that no contact can have, or
   * when nobody is named, and `conflict` for identifiers of several contacts.
   */
  async set(
    organizationId: string,
    runId: string,
    given: Record<string, unknown>,
  ): Promise<{ contact: Contact; created: boolean }> {
    const schema = dtoSchema(CreateContactInput);
    const changes = parseChanges(parseArguments(CreateContactInput, schema, tidyFields(given)));
    const saved = await this.save(organizationId, runId, changes);
    await this.runs.setContact(organizationId, runId, saved.contact.id);
    return saved;
  }

  private async save(
    organizationId: string,
    runId: string,
    changes: ContactChanges,
  ): Promise<{ contact: Contact; created: boolean }> {
    const { externalId, email, phone } = changes;
    const isNamed = [externalId, email, phone].some((identifier) => identifier !== undefined);
    const current = isNamed ? null : (await this.runs.find(organizationId, runId))?.contactId;
    if (!current) return await this.contacts.create(organizationId, changes, 'merge', 'workflow');
    const contact = await this.contacts.merge(organizationId, current, changes, 'workflow');
    return { contact, created: false };
  }
}
