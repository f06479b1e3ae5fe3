import { PageResult } from '../paging/paging.js';
import {
  Choice,
  Flag,
  Integer,
  ListOf,
  Nested,
  Text,
  TextList,
  Timestamp,
} from '../tools/schema/fields.js';
import type { ContactProperty } from './contact-property.entity.js';
import { PROPERTY_TYPES, type PropertyType } from './property-type.js';

export class PropertyView {
  @Text()
  name: string;

  @Choice(PROPERTY_TYPES)
  type: PropertyType;

  @TextList()
  options: string[];

  @Timestamp()
  created_at: string;

  @Timestamp()
  updated_at: string;

  static of(property: ContactProperty): PropertyView {
    const { name, type, options } = property;
    return {
      name,
      type,
      options,
      created_at: property.createdAt.toISOString(),
      updated_at: property.updatedAt.toISOString(),
    };
  }
}

export class PropertyResult {
  @Nested(() => PropertyView)
  property: PropertyView;
}

export class PropertyList {
  @ListOf(() => PropertyView)
  properties: PropertyView[];
}

export class UnfitValueView {
  @Text()
  contact_id: string;

  @Text('The value as JSON.')
  value: string;
}

export class UnfitValuePage extends PageResult {
  @ListOf(() => UnfitValueView)
  unfit_values: UnfitValueView[];
}

export class RemovedValues {
  @Integer('Number of contacts that lost their value, at most 200.')
  removed: number;

  @Flag('True if more such values are left: call the tool again.')
  has_more: boolean;
}

export class DeletedProperty {
  @Text('Name of the property.')
  deleted: string;
}
