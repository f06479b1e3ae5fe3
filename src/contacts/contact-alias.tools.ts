import { Injectable } from '@nestjs/common';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import { ContactAliasInput, ListContactAliasesInput } from './contact-alias.inputs.js';
import {
  ContactAliasList,
  ContactAliasResult,
  ContactAliasView,
  RemovedContactAlias,
} from './contact-alias.results.js';
import { ContactAliasesService } from './contact-aliases.service.js';

/** Provides the tools for further addresses of contacts. */
@Injectable()
export class ContactAliasTools {
  constructor(private readonly aliases: ContactAliasesService) {}

  @Tool({
    name: 'list_contact_aliases',
    title: 'List the aliases of a contact',
    description:
      'Returns the further addresses and external ids by which a contact is found, at most 50.',
    output: ContactAliasList,
    readOnly: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async list(input: ListContactAliasesInput, call: ToolCall): Promise<ContactAliasList> {
    const aliases = await this.aliases.list(call.organizationId, input.contact_id);
    return { aliases: aliases.map((alias) => ContactAliasView.of(alias)) };
  }

  @Tool({
    name: 'add_contact_alias',
    title: 'Add an alias to a contact',
    description:
      'Adds a further e-mail address, phone number or external id by which the contact is found. Messages still go ' +
      'to its own address. Fails with conflict when another contact has it already.',
    output: ContactAliasResult,
    idempotent: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async add(input: ContactAliasInput, call: ToolCall): Promise<ContactAliasResult> {
    const { contact_id: contactId, ...given } = input;
    const alias = await this.aliases.add(call.organizationId, contactId, given);
    return { alias: ContactAliasView.of(alias) };
  }

  @Tool({
    name: 'remove_contact_alias',
    title: 'Remove an alias of a contact',
    description: 'Removes a further address or external id. The contact is no longer found by it.',
    output: RemovedContactAlias,
    destructive: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async remove(input: ContactAliasInput, call: ToolCall): Promise<RemovedContactAlias> {
    const { contact_id: contactId, ...given } = input;
    await this.aliases.remove(call.organizationId, contactId, given);
    return { removed: true };
  }
}
