import { Injectable, UseGuards } from '@nestjs/common';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import { OwnerGuard } from '../tools/policies/owner.guard.js';
import { ContactPropertiesService } from './contact-properties.service.js';
import {
  ListPropertiesInput,
  ListUnfitValuesInput,
  PropertyNameInput,
  SetPropertyInput,
} from './contact-property.inputs.js';
import {
  DeletedProperty,
  PropertyList,
  PropertyResult,
  PropertyView,
  RemovedValues,
  UnfitValuePage,
} from './contact-property.results.js';

/** Provides the tools for the declared properties of contacts. */
@Injectable()
export class ContactPropertyTools {
  constructor(private readonly properties: ContactPropertiesService) {}

  @Tool({
    name: 'list_properties',
    title: 'List the properties of contacts',
    description: 'Returns the declared properties of contacts with their types, at most 100.',
    output: PropertyList,
    readOnly: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async list(_input: ListPropertiesInput, call: ToolCall): Promise<PropertyList> {
    const properties = await this.properties.list(call.organizationId);
    return { properties: properties.map((property) => PropertyView.of(property)) };
  }

  @UseGuards(OwnerGuard)
  @Tool({
    name: 'set_property',
    title: 'Declare a property of contacts',
    description:
      'Declares a property with its type, or changes its type. From then on, contacts get values of this type only. ' +
      'Fails with conflict while contacts have values that do not fit: list_unfit_values returns them.',
    output: PropertyResult,
    idempotent: true,
    surfaces: ['dashboard'],
  })
  async set(input: SetPropertyInput, call: ToolCall): Promise<PropertyResult> {
    const rule = { type: input.type, options: input.options ?? [] };
    const property = await this.properties.set(call.organizationId, input.name, rule);
    return { property: PropertyView.of(property) };
  }

  @UseGuards(OwnerGuard)
  @Tool({
    name: 'delete_property',
    title: 'Delete the declaration of a property',
    description: 'Forgets the type of a property. Contacts keep their values.',
    output: DeletedProperty,
    destructive: true,
    surfaces: ['dashboard'],
  })
  async delete({ name }: PropertyNameInput, call: ToolCall): Promise<DeletedProperty> {
    await this.properties.delete(call.organizationId, name);
    return { deleted: name };
  }

  @Tool({
    name: 'list_unfit_values',
    title: 'List values that do not fit a type',
    description:
      'Returns the contacts whose value of a property would not fit this type, without changing anything.',
    output: UnfitValuePage,
    readOnly: true,
    surfaces: ['dashboard'],
  })
  async listUnfit(input: ListUnfitValuesInput, call: ToolCall): Promise<UnfitValuePage> {
    const rule = { type: input.type, options: input.options ?? [] };
    const page = { limit: input.limit, cursor: input.cursor };
    const { values, nextCursor } = await this.properties.listUnfit(
      call.organizationId,
      input.name,
      rule,
      page,
    );
    return {
      unfit_values: values.map(({ contactId, value }) => ({
        contact_id: contactId,
        value: JSON.stringify(value),
      })),
      next_cursor: nextCursor,
    };
  }

  @UseGuards(OwnerGuard)
  @Tool({
    name: 'remove_unfit_values',
    title: 'Remove values that do not fit a type',
    description:
      'Removes the values of a property that do not fit this type. One call changes at most 200 contacts. Repeat it ' +
      'while has_more is true.',
    output: RemovedValues,
    destructive: true,
    surfaces: ['dashboard'],
  })
  async removeUnfit(input: SetPropertyInput, call: ToolCall): Promise<RemovedValues> {
    const rule = { type: input.type, options: input.options ?? [] };
    const { removed, hasMore } = await this.properties.removeUnfit(
      call.organizationId,
      input.name,
      rule,
      call.surface,
    );
    return { removed, has_more: hasMore };
  }
}
