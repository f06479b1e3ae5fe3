import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  Length,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { Doc } from '../tools/schema/doc.decorator.js';
import { ConsentInput } from './consent.input.js';

export class CreateContactInput {
  @Doc('Id of this person in another system, kept as sent. Unique.', { examples: ['crm-42'] })
  @IsOptional()
  @IsString()
  @MaxLength(255)
  external_id?: string;

  @Doc('One e-mail address. Unique, whatever its case.', { examples: ['ada@example.com'] })
  @IsOptional()
  @IsString()
  @MaxLength(254)
  email?: string;

  @Doc('Phone number in international form; spaces, dashes and parentheses are dropped. Unique.', {
    examples: ['+49 30 123456'],
  })
  @IsOptional()
  @IsString()
  @MaxLength(40)
  phone?: string;

  @IsOptional()
  @IsString()
  @MaxLength(255)
  first_name?: string;

  @IsOptional()
  @IsString()
  @MaxLength(255)
  last_name?: string;

  @Doc('Language tag (BCP 47).', { examples: ['en', 'pt-BR'] })
  @IsOptional()
  @IsString()
  @MaxLength(64)
  locale?: string;

  @Doc('IANA time zone.', { examples: ['Europe/Berlin'] })
  @IsOptional()
  @IsString()
  @MaxLength(64)
  timezone?: string;

  @Doc('Labels.')
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(50)
  @IsString({ each: true })
  @Length(1, 64, { each: true })
  tags?: string[];

  @Doc(
    'Custom properties: at most 100; names of letters, digits and _ that begin with a letter; values are text ' +
      '(at most 1024 characters), numbers or booleans. A null removes the property.',
    { examples: [{ plan: 'pro', seats: 5 }] },
  )
  @IsOptional()
  @IsObject()
  properties?: Record<string, unknown>;

  @Doc('Whether this person agreed to be written to, per channel.')
  @IsOptional()
  @ValidateNested()
  @Type(() => ConsentInput)
  consent?: ConsentInput;

  @Doc('When a contact has one of the identifiers already: fail, or update that contact.')
  @IsIn(['error', 'update'])
  on_conflict: 'error' | 'update' = 'error';
}
