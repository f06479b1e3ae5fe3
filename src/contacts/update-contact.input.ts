import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsObject,
  IsOptional,
  IsString,
  Length,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { Doc, Nullable } from '../tools/schema/doc.decorator.js';
import { ConsentInput } from './consent.input.js';

export class UpdateContactInput {
  @Doc('Id of the contact.')
  @IsString()
  @Length(1, 64)
  contact_id: string;

  @Doc('Id of this person in another system, kept as sent. Unique.', { examples: ['crm-42'] })
  @IsOptional()
  @Nullable()
  @IsString()
  @MaxLength(255)
  external_id?: string | null;

  @Doc('One e-mail address. Unique, whatever its case.', { examples: ['ada@example.com'] })
  @IsOptional()
  @Nullable()
  @IsString()
  @MaxLength(254)
  email?: string | null;

  @Doc('Phone number in international form; spaces, dashes and parentheses are dropped. Unique.', {
    examples: ['+49 30 123456'],
  })
  @IsOptional()
  @Nullable()
  @IsString()
  @MaxLength(40)
  phone?: string | null;

  @IsOptional()
  @Nullable()
  @IsString()
  @MaxLength(255)
  first_name?: string | null;

  @IsOptional()
  @Nullable()
  @IsString()
  @MaxLength(255)
  last_name?: string | null;

  @Doc('Language tag (BCP 47).', { examples: ['en', 'pt-BR'] })
  @IsOptional()
  @Nullable()
  @IsString()
  @MaxLength(64)
  locale?: string | null;

  @Doc('IANA time zone.', { examples: ['Europe/Berlin'] })
  @IsOptional()
  @Nullable()
  @IsString()
  @MaxLength(64)
  timezone?: string | null;

  @Doc('Labels; replaces all that were there.')
  @IsOptional()
  @Nullable()
  @IsArray()
  @ArrayMaxSize(50)
  @IsString({ each: true })
  @Length(1, 64, { each: true })
  tags?: string[] | null;

  @Doc(
    'Custom properties to set; the others stay. A property that is null is removed, and null for the whole ' +
      'removes all. At most 100 in all; names of letters, digits and _ that begin with a letter; values are text ' +
      '(at most 1024 characters), numbers or booleans.',
    { examples: [{ plan: 'pro', trial_ends: null }] },
  )
  @IsOptional()
  @Nullable()
  @IsObject()
  properties?: Record<string, unknown> | null;

  @Doc('Decisions to record; channels that are not named stay as they are.')
  @IsOptional()
  @ValidateNested()
  @Type(() => ConsentInput)
  consent?: ConsentInput;
}
