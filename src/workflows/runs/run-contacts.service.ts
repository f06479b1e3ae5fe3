import { Injectable } from '@nestjs/common';
import { type ContactChanges, parseChanges } from '../../contacts/contact-fields.js';
import type { Contact } from '../../contacts/contact.entity.js';
import { CreateContactInput } from '../../contacts/contact.inputs.js';
import { ContactsService } from '../../contacts/contacts.service.js';
import { classSchema } from '../../tools/schema/class-schema.js';
import { parseArguments } from '../../tools/schema/parse-arguments.js';
import { TEXT_FIELDS } from '../definitions/contact-mapping.js';
import { isObject } from '../definitions/step-fields.js';
import { RunsRepository } from '../journal/runs.repository.js';

@Injectable()
export class RunContactsService {
  constructor(
    private readonly runs: RunsRepository,
    private readonly contacts: ContactsService,
  ) {}

  /**
   * Creates or updates the contact that the fields identify, and makes it the contact of the run. Without an identifier it
   * updates the current contact of the run. Throws `invalid_arguments` for invalid fields, or when there is no contact to
   * update, and `conflict` for identifiers of several contacts.
   */
  async set(
    organizationId: string,
    runId: string,
    given: Record<string, unknown>,
  ): Promise<{ contact: Contact; created: boolean }> {
    const schema = classSchema(CreateContactInput);
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
    const contact = await this.contacts.update(
      organizationId,
      current,
      changes,
      'workflow',
      'merge',
    );
    return { contact, created: false };
  }
}

/** Normalizes contact fields that a form sent. An empty form field must not clear the value of the contact. */
export function tidyFields(given: Record<string, unknown>): Record<string, unknown> {
  const fields = tidyMembers(given);
  for (const name of TEXT_FIELDS) {
    if (typeof fields[name] === 'number') fields[name] = String(fields[name]);
  }
  if (Array.isArray(fields.tags)) {
    fields.tags = fields.tags
      .map(tidyText)
      .filter((tag) => !isBlank(tag))
      .map((tag: unknown) => (typeof tag === 'number' ? String(tag) : tag));
  }
  for (const name of ['properties', 'consent']) {
    const inner = fields[name];
    if (isObject(inner)) fields[name] = tidyMembers(inner);
  }
  return fields;
}

function tidyMembers(given: Record<string, unknown>): Record<string, unknown> {
  const members = Object.entries(given).map(([key, value]) => [key, tidyText(value)] as const);
  return Object.fromEntries(members.filter(([, value]) => !isBlank(value)));
}

function tidyText(value: unknown): unknown {
  return typeof value === 'string' ? value.trim() : value;
}

function isBlank(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}
