import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { Doc, Nullable } from '../tools/schema/doc.decorator.js';
import { CONSENT_STATUSES, type ConsentStatus } from './consent.js';
import { CONTACT_SORTS, type ContactSort } from './contact-order.js';

export class ConsentInput {
  @IsOptional()
  @IsIn(CONSENT_STATUSES)
  email?: ConsentStatus;

  @IsOptional()
  @IsIn(CONSENT_STATUSES)
  sms?: ConsentStatus;

  @IsOptional()
  @IsIn(CONSENT_STATUSES)
  webhook?: ConsentStatus;
}

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

export class DeleteContactInput {
  @Doc('Id of the contact.')
  @IsString()
  @Length(1, 64)
  contact_id: string;
}

export class GetContactInput {
  @Doc('Id of the contact.')
  @IsOptional()
  @IsString()
  @Length(1, 64)
  contact_id?: string;

  @Doc('E-mail address in any case.')
  @IsOptional()
  @IsString()
  @MaxLength(254)
  email?: string;

  @Doc('Id of this person in another system.')
  @IsOptional()
  @IsString()
  @MaxLength(255)
  external_id?: string;
}

export class SearchContactsInput {
  @Doc(
    'Text that names, full name, e-mail, phone or external_id contain, whatever the case. Taken literally.',
  )
  @IsOptional()
  @IsString()
  @MaxLength(255)
  query?: string;

  @Doc(
    'Conditions {field, operator, value}, all of which must hold. Fields and operators: external_id, email, phone, ' +
      'first_name, last_name, locale, timezone: equals, not_equals, contains, not_contains, starts_with, in, is_set, ' +
      'is_not_set; properties.<name>: the same and greater_than, less_than (a value is compared with values of its ' +
      'own type only: 5 is not "5"); tags: contains (has the tag), not_contains, in (has one of them), is_set, ' +
      'is_not_set; consent.email, consent.sms, consent.webhook: equals, not_equals, in (granted, denied), is_set, ' +
      'is_not_set; created_at, updated_at: greater_than, less_than (RFC 3339 time or date). The value of in is a ' +
      'list; is_set and is_not_set take none. not_equals and not_contains hold for contacts without a value too. ' +
      'contains and starts_with ignore the case of A to Z; equals does not, except for e-mail.',
    {
      examples: [
        [
          { field: 'properties.plan', operator: 'equals', value: 'pro' },
          { field: 'consent.email', operator: 'equals', value: 'granted' },
        ],
      ],
    },
  )
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(20)
  @IsObject({ each: true })
  filters?: object[];

  @Doc('Field to sort by, with - before it for descending. Contacts without a value come last.')
  @IsIn(CONTACT_SORTS)
  sort: ContactSort = '-created_at';

  @Doc('Most contacts to return.')
  @IsInt()
  @Min(1)
  @Max(100)
  limit: number = 20;

  @Doc('next_cursor of the page before, with the same query, filters and sort.')
  @IsOptional()
  @IsString()
  @MaxLength(8192)
  cursor?: string;
}

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
