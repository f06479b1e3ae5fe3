import { Injectable } from '@nestjs/common';
import {
  Completion,
  type CompletionCall,
  MAX_COMPLETIONS,
} from '../completions/completion.decorator.js';
import { Resource } from '../resources/resource.decorator.js';
import { AppError } from '../errors/app-error.js';
import { asSentence } from '../errors/as-sentence.js';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import { ContactRulesService } from './contact-rules.service.js';
import { ContactOrder } from './contact-order.js';
import {
  CountContactsInput,
  CreateContactInput,
  DeleteContactInput,
  GetContactInput,
  SearchContactsInput,
  UpdateContactInput,
} from './contact.inputs.js';
import {
  ContactCount,
  ContactPage,
  ContactResult,
  ContactView,
  CreatedContactResult,
  DeletedContactResult,
} from './contact.results.js';
import { type ContactSearch, ContactsService } from './contacts.service.js';
import { SegmentFiltersService } from './segment-filters.service.js';

const ONLY_PEOPLE =
  'may contain "suppressions" only when a person deletes the contact on its page; a step of a workflow can call ' +
  'remove_suppression';

@Injectable()
export class ContactTools {
  constructor(
    private readonly contacts: ContactsService,
    private readonly rules: ContactRulesService,
    private readonly segments: SegmentFiltersService,
  ) {}

  @Tool({
    name: 'create_contact',
    title: 'Create a contact',
    description:
      'Adds a person to the contacts. At least one of external_id, email and phone is required. If another contact ' +
      'has the same value, the call fails with conflict. With on_conflict "update" it changes that contact: for ' +
      'people who may be contacts already.',
    output: CreatedContactResult,
  })
  async create(input: CreateContactInput, call: ToolCall): Promise<CreatedContactResult> {
    const { contact, created } = await this.contacts.create(
      call.organizationId,
      await this.rules.parse(call.organizationId, input),
      input.on_conflict,
      call.surface,
    );
    return { contact: ContactView.of(contact), created };
  }

  @Tool({
    name: 'get_contact',
    title: 'Get a contact',
    description:
      'Returns one contact by exactly one of contact_id, email and external_id. To look for contacts by name or ' +
      'other fields use search_contacts.',
    output: ContactResult,
    readOnly: true,
  })
  // The id is in the path of the URI, because clients may lowercase the host, and ids are case-sensitive.
  @Resource({
    uri: 'switchboard://contacts/{contact_id}',
    name: 'contact',
    title: 'Contact',
    description: 'One contact, as get_contact returns it.',
  })
  async get(input: GetContactInput, call: ToolCall): Promise<ContactResult> {
    const { contact_id, email, external_id } = input;
    const key = { contact_id, email, external_id };
    const contact = await this.contacts.getBy(call.organizationId, key, 'Try search_contacts.');
    return { contact: ContactView.of(contact) };
  }

  @Tool({
    name: 'update_contact',
    title: 'Update a contact',
    description:
      'Changes the fields that are given; null clears a field. A contact must keep one of external_id, email and phone.',
    output: ContactResult,
    idempotent: true,
  })
  async update(input: UpdateContactInput, call: ToolCall): Promise<ContactResult> {
    const contact = await this.contacts.update(
      call.organizationId,
      input.contact_id,
      await this.rules.parse(call.organizationId, input),
      call.surface,
    );
    return { contact: ContactView.of(contact) };
  }

  @Tool({
    name: 'delete_contact',
    title: 'Delete a contact',
    description: 'Deletes a contact permanently, and counts what stays.',
    output: DeletedContactResult,
    destructive: true,
    idempotent: true,
    checkStep: ({ remove }) =>
      Array.isArray(remove) && remove.includes('suppressions')
        ? [{ path: 'remove', message: ONLY_PEOPLE }]
        : [],
  })
  async delete(
    { contact_id, remove = [] }: DeleteContactInput,
    call: ToolCall,
  ): Promise<DeletedContactResult> {
    // Agents cannot call remove_suppression. Without this check, an agent could delete a contact and create it again,
    // itself or in a workflow that it saves, to send to an address that complained.
    if (call.surface !== 'dashboard' && remove.includes('suppressions')) {
      throw new AppError('forbidden', asSentence(`remove ${ONLY_PEOPLE}`));
    }
    return {
      deleted: true,
      ...(await this.contacts.delete(call.organizationId, contact_id, remove)),
    };
  }

  @Tool({
    name: 'search_contacts',
    title: 'Search contacts',
    description:
      'Finds contacts by text in their names and identifiers, by conditions on any field, or both, newest first ' +
      'unless sort says otherwise. Without arguments it lists all.',
    output: ContactPage,
    readOnly: true,
  })
  @Resource({
    uri: 'switchboard://contacts',
    name: 'contacts',
    title: 'Newest contacts',
    description: 'The 20 newest contacts, as search_contacts returns them.',
  })
  async search(input: SearchContactsInput, call: ToolCall): Promise<ContactPage> {
    const { contacts, nextCursor } = await this.contacts.search(
      call.organizationId,
      await this.parseSearch(call.organizationId, input),
      new ContactOrder(input.sort),
      { limit: input.limit, cursor: input.cursor },
    );
    return {
      contacts: contacts.map((contact) => ContactView.of(contact)),
      next_cursor: nextCursor,
    };
  }

  @Tool({
    name: 'count_contacts',
    title: 'Count contacts',
    description: 'Counts the contacts that search_contacts finds, exactly up to 10,000.',
    output: ContactCount,
    readOnly: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async count(input: CountContactsInput, call: ToolCall): Promise<ContactCount> {
    const { count, isComplete } = await this.contacts.count(
      call.organizationId,
      await this.parseSearch(call.organizationId, input),
    );
    return { count, is_complete: isComplete };
  }

  /** Returns ids of contacts whose id, name or identifier starts with `text`. */
  @Completion({
    resource: 'switchboard://contacts/{contact_id}',
    argument: 'contact_id',
    needs: ['search_contacts'],
  })
  async completeContactId(text: string, { organizationId }: CompletionCall): Promise<string[]> {
    const limit = MAX_COMPLETIONS + 1;
    const contacts = await this.contacts.listStartingWith(organizationId, text, limit);
    return contacts.map(({ id }) => id);
  }

  private async parseSearch(
    organizationId: string,
    { query, filters = [] }: CountContactsInput,
  ): Promise<ContactSearch> {
    return { text: query || undefined, filters: await this.segments.read(organizationId, filters) };
  }
}
