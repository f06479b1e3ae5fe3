import { ArrayMaxSize, IsArray, IsOptional, IsString, Length } from 'class-validator';
import { Doc } from '../tools/schema/doc.decorator.js';
import { Choice, Integer, Text } from '../tools/schema/fields.js';
import { PROPERTY_TYPES, type PropertyType } from './property-type.js';

const MOST_OPTIONS = 100;

export class ListPropertiesInput {}

export class PropertyNameInput {
  @Doc('A letter, then up to 63 letters, digits or _.', { examples: ['plan'] })
  @Text({ min: 1, max: 64 })
  name: string;
}

/** Declares a property with the type of its values. */
export class SetPropertyInput extends PropertyNameInput {
  @Doc('date is text such as 2030-01-31, enum is one of options, list is a list of texts.')
  @Choice(PROPERTY_TYPES)
  type: PropertyType;

  @Doc('The values of the type enum, at most 100. Other types have none.', {
    examples: [['free', 'pro']],
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MOST_OPTIONS)
  @IsString({ each: true })
  @Length(1, 255, { each: true })
  options?: string[];
}

export class ListUnfitValuesInput extends SetPropertyInput {
  @Integer({ min: 1, max: 100 })
  limit: number = 20;

  @Text('next_cursor of the previous page, with the same name, type and options.', {
    optional: true,
    max: 1024,
  })
  cursor?: string;
}
