import { Injectable } from '@nestjs/common';
import { type ContactChanges, parseChanges } from './contact-fields.js';
import { type ContactRules, NO_RULES } from './contact-rules.js';
import { type ChangedSettings, ContactRulesRepository } from './contact-rules.repository.js';
import type { ContactFieldsInput } from './contact.inputs.js';

/** Reads fields of contacts by the rules of their organization. */
@Injectable()
export class ContactRulesService {
  constructor(private readonly rules: ContactRulesRepository) {}

  /** Returns the rules as they are now. */
  find(organizationId: string): Promise<ContactRules> {
    return this.rules.find(organizationId, false);
  }

  /** Returns the rules as they are now. The declared types of properties do not change before the transaction ends. */
  keep(organizationId: string): Promise<ContactRules> {
    return this.rules.find(organizationId, true);
  }

  /**
   * Validates and normalizes the fields that a caller sent. Throws `invalid_arguments` with the path of every fault. The
   * declared types of properties do not change before the transaction ends.
   */
  async parse(organizationId: string, input: ContactFieldsInput): Promise<ContactChanges> {
    const hasProperties = Object.keys(input.properties ?? {}).length > 0;
    const isNeeded = hasProperties || isNational(input.phone);
    const rules = isNeeded ? await this.rules.find(organizationId, hasProperties) : NO_RULES;
    return parseChanges(input, rules);
  }

  /** Returns the rules for parsing these phone numbers. */
  async rulesForPhones(
    organizationId: string,
    phones: readonly (string | undefined)[],
  ): Promise<ContactRules> {
    return phones.some(isNational) ? await this.find(organizationId) : NO_RULES;
  }

  /** Changes the settings that are given, and returns the rules after the change. */
  async setSettings(organizationId: string, settings: ChangedSettings): Promise<ContactRules> {
    await this.rules.setSettings(organizationId, settings);
    return await this.find(organizationId);
  }
}

function isNational(phone: string | null | undefined): boolean {
  return typeof phone === 'string' && phone !== '' && !phone.startsWith('+');
}
