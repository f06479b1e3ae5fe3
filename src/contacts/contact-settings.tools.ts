import { Injectable, UseGuards } from '@nestjs/common';
import { isSupportedCountry } from 'libphonenumber-js/max';
import { AppError } from '../errors/app-error.js';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import { OwnerGuard } from '../tools/policies/owner.guard.js';
import { ContactRulesService } from './contact-rules.service.js';
import { parseLocale } from './parse-field.js';
import { GetContactSettingsInput, SetContactSettingsInput } from './contact-settings.inputs.js';
import { smsKeywordOf } from './sms-keyword.js';
import { ContactSettingsResult, ContactSettingsView } from './contact-settings.results.js';

/** Provides the tools for the settings of contacts. */
@Injectable()
export class ContactSettingsTools {
  constructor(private readonly rules: ContactRulesService) {}

  @Tool({
    name: 'get_contact_settings',
    title: 'Get the settings of contacts',
    description:
      'Returns the region of phone numbers, the default locale, whether properties must be declared, and the answer to HELP.',
    output: ContactSettingsResult,
    readOnly: true,
    surfaces: ['dashboard'],
  })
  async get(_input: GetContactSettingsInput, call: ToolCall): Promise<ContactSettingsResult> {
    return { settings: ContactSettingsView.of(await this.rules.find(call.organizationId)) };
  }

  @UseGuards(OwnerGuard)
  @Tool({
    name: 'set_contact_settings',
    title: 'Change the settings of contacts',
    description:
      'Sets how fields of contacts are read from now on. Stored contacts stay as they are. Absent settings stay ' +
      'unchanged.',
    output: ContactSettingsResult,
    idempotent: true,
    surfaces: ['dashboard'],
  })
  async set(input: SetContactSettingsInput, call: ToolCall): Promise<ContactSettingsResult> {
    const region = input.region?.toUpperCase() ?? input.region;
    if (typeof region === 'string' && !isSupportedCountry(region)) {
      throw AppError.invalidField('region', 'must be a country such as DE or BR (ISO 3166)');
    }
    // Without this check, two installations that send each other this answer would never stop.
    if (typeof input.sms_help === 'string' && smsKeywordOf(input.sms_help)) {
      throw AppError.invalidField('sms_help', 'must not be a keyword such as HELP or STOP itself');
    }
    const rules = await this.rules.setSettings(call.organizationId, {
      ...(region !== undefined && { region }),
      ...(input.default_locale !== undefined && {
        defaultLocale: readLocale(input.default_locale),
      }),
      ...(input.strict_properties !== undefined && { strictProperties: input.strict_properties }),
      ...(input.sms_help !== undefined && { smsHelp: input.sms_help }),
    });
    return { settings: ContactSettingsView.of(rules) };
  }
}

/**
 * Returns the locale to store. Returns null, which removes the locale, for null and for the empty text that a form
 * sends.
 */
function readLocale(text: string | null): string | null {
  if (text === null || text === '') return null;
  const parsed = parseLocale(text);
  if ('value' in parsed) return parsed.value;
  throw AppError.invalidField('default_locale', parsed.fault);
}
