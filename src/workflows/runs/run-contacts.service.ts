import { Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ContactChanges } from '../../contacts/contact-fields.js';
import { ContactRulesService } from '../../contacts/contact-rules.service.js';
import type { Contact } from '../../contacts/contact.entity.js';
import { CreateContactInput } from '../../contacts/contact.inputs.js';
import { ContactsService } from '../../contacts/contacts.service.js';
import { AppError, type Fault } from '../../errors/app-error.js';
import { FaultList } from '../../errors/fault-list.js';
import { numberText } from '../../text/exact-numbers.js';
import { isJsonObject } from '../../text/is-json-object.js';
import { classSchema } from '../../tools/schema/class-schema.js';
import { invalidArguments, parseArguments } from '../../tools/schema/parse-arguments.js';
import { IDENTIFIERS, TEXT_FIELDS } from '../definitions/contact-mapping.js';
import { RunsRepository } from '../journal/runs.repository.js';
import type { OnInvalidField } from './run.inputs.js';
import { withoutFaults } from './usable-fields.js';

/**
 * The largest number of invalid fields that are left out. A contact with more invalid fields is not saved. Each round
 * of checks finds at most 20.
 */
const MAX_DROPPED = 200;

interface SavedContact {
  readonly contact: Contact;
  readonly created: boolean;
  /** The faults of invalid values. These values were not saved. */
  readonly dropped: readonly Fault[];
}

@Injectable()
export class RunContactsService {
  constructor(
    private readonly runs: RunsRepository,
    private readonly contacts: ContactsService,
    private readonly rules: ContactRulesService,
  ) {}

  /**
   * Creates or updates the contact that the fields identify, and makes it the contact of the run. Without an identifier
   * it updates the current contact of the run. With `drop`, leaves out invalid fields and returns their faults. Throws
   * `invalid_arguments` for other invalid fields, and when there is no contact to update. Throws `conflict` for
   * identifiers of several contacts.
   */
  async set(
    organizationId: string,
    runId: string,
    given: Record<string, unknown>,
    onInvalid: OnInvalidField,
  ): Promise<SavedContact> {
    const dropped: Fault[] = [];
    for (let fields = tidyFields(given); ;) {
      try {
        const saved = await this.save(
          organizationId,
          runId,
          await this.rules.parse(organizationId, checkFields(fields)),
        );
        await this.runs.setContact(organizationId, runId, saved.contact.id);
        return { ...saved, dropped };
      } catch (error) {
        if (onInvalid === 'fail' || dropped.length > MAX_DROPPED || !isInvalid(error)) throw error;
        const usable = withoutFaults(fields, error.details ?? []);
        if (!usable) throw missingIdentifier(dropped) ?? error;
        dropped.push(...usable.dropped);
        fields = usable.fields;
        // A check of 50,000 members takes some ms, and there may be a dozen checks.
        await nextTurn();
      }
    }
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

function checkFields(fields: Record<string, unknown>): CreateContactInput {
  return parseArguments(CreateContactInput, classSchema(CreateContactInput), fields);
}

function isInvalid(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'invalid_arguments';
}

/** Returns the error for a contact without an identifier, if an invalid identifier was left out. */
function missingIdentifier(dropped: readonly Fault[]): AppError | undefined {
  const faults = new FaultList();
  for (const fault of dropped) if (IDENTIFIERS.includes(fault.path)) faults.push(fault);
  return faults.length > 0 ? invalidArguments(faults) : undefined;
}

/** Normalizes contact fields that a form sent. An empty form field must not clear the value of the contact. */
export function tidyFields(given: Record<string, unknown>): Record<string, unknown> {
  const fields = tidyMembers(given);
  for (const name of TEXT_FIELDS) {
    const value = fields[name];
    if (typeof value === 'number') fields[name] = numberText(value);
  }
  if (Array.isArray(fields.tags)) {
    fields.tags = fields.tags
      .map(tidyText)
      .filter((tag) => !isBlank(tag))
      .map((tag: unknown) => (typeof tag === 'number' ? numberText(tag) : tag));
  }
  for (const name of ['properties', 'consent']) {
    const inner = fields[name];
    if (isJsonObject(inner)) fields[name] = tidyMembers(inner);
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
