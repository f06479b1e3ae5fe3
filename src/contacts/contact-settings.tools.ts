import { Injectable, UseGuards } from '@nestjs/common';
import { isSupportedCountry } from 'libphonenumber-js/max';
import { AppError } from '../errors/app-error.js';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import { OwnerGuard } from '../tools/policies/owner.guard.js';
import { ContactRulesService } from './contact-rules.service.js';
import { GetContactSettingsInput, SetContactSettingsInput } from './contact-settings.inputs.js';
import { ContactSettingsResult, ContactSettingsView } from './contact-settings.results.js';

/** Provides the tools for what an organization sets for its contacts. */
@Injectable()
export class ContactSettingsTools {
  constructor(private readonly rules: ContactRulesService) {}

  @Tool({
    name: 'get_contact_settings',
    title: 'Get the settings of contacts',
    description: 'Returns the region of phone numbers and whether properties must be declared.',
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
    const rules = await this.rules.setSettings(call.organizationId, {
      ...(region !== undefined && { region }),
      ...(input.strict_properties !== undefined && { strictProperties: input.strict_properties }),
    });
    return { settings: ContactSettingsView.of(rules) };
  }
}
