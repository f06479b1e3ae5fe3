import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { Doc } from '../tools/schema/doc.decorator.js';
import { CONTACT_SORTS, type ContactSort } from './contact-order.js';

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
