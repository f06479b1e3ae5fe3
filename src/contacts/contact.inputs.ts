import { ArrayMaxSize, IsArray, IsIn, IsOptional, IsString, Length } from 'class-validator';
import { PageInput } from '../paging/paging.js';
import { Doc, Nullable } from '../tools/schema/doc.decorator.js';
import { Choice, JsonObject, Nested, ObjectList, Text } from '../tools/schema/fields.js';
import { CONSENT_STATUSES, type ConsentStatus } from './consent.js';
import { REMOVABLE, type Removable } from './removable.js';
import { TEXT_FIELDS } from './filter-fields.js';
import { CONTACT_SORTS, type ContactSort } from './contact-order.js';

class ConsentInput {
  @Choice(CONSENT_STATUSES, { optional: true })
  email?: ConsentStatus;

  @Choice(CONSENT_STATUSES, { optional: true })
  sms?: ConsentStatus;

  @Choice(CONSENT_STATUSES, { optional: true })
  webhook?: ConsentStatus;
}

/** Declares the fields of `create_contact` and `update_contact`. In `update_contact`, null clears a field. */
export class ContactFieldsInput {
  @Doc('Id of this person in another system, stored unchanged. Unique.', { examples: ['crm-42'] })
  @Text({ optional: true, max: 255 })
  external_id?: string | null;

  @Doc('One e-mail address. Unique, whatever its case.', { examples: ['ada@example.com'] })
  @Text({ optional: true, max: 254 })
  email?: string | null;

  @Doc(
    'Phone number in international form, as it exists in its country. Stored in E.164. Unique.',
    {
      examples: ['+49 30 123456'],
    },
  )
  @Text({ optional: true, max: 40 })
  phone?: string | null;

  @Text({ optional: true, max: 255 })
  first_name?: string | null;

  @Text({ optional: true, max: 255 })
  last_name?: string | null;

  @Doc('Language tag (BCP 47).', { examples: ['en', 'pt-BR'] })
  @Text({ optional: true, max: 64 })
  locale?: string | null;

  @Doc('IANA time zone.', { examples: ['Europe/Berlin'] })
  @Text({ optional: true, max: 64 })
  timezone?: string | null;

  @Doc('Labels. An update replaces all existing labels.')
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(50)
  @IsString({ each: true })
  @Length(1, 64, { each: true })
  tags?: string[] | null;

  @Doc(
    'Custom properties to set; an update keeps the others. At most 100 in total; names of letters, digits and _ that ' +
      'begin with a letter; values are text (at most 1024 characters), numbers or booleans. A null removes the property.',
    { examples: [{ plan: 'pro', seats: 5 }] },
  )
  @JsonObject({ optional: true })
  properties?: Record<string, unknown> | null;

  @Doc('Consent by channel; channels that are absent stay unchanged.')
  @Nested(() => ConsentInput, { optional: true })
  consent?: ConsentInput;
}

export class CreateContactInput extends ContactFieldsInput {
  @Choice(['error', 'update'])
  on_conflict: 'error' | 'update' = 'error';
}

export class GetContactInput {
  @Text({ optional: true, min: 1, max: 64 })
  contact_id?: string;

  @Text('Upper or lower case.', { optional: true, max: 254 })
  email?: string;

  @Text('Id of this person in another system.', { optional: true, max: 255 })
  external_id?: string;
}

export class ContactIdInput {
  @Text({ min: 1, max: 64 })
  contact_id: string;
}

export class DeleteContactInput extends ContactIdInput {
  @Doc('Data to delete with the contact: messages, suppressions or both.')
  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  @IsIn(REMOVABLE, { each: true })
  remove?: Removable[];
}

@ClearableFields(...Object.keys(TEXT_FIELDS), 'tags', 'properties')
export class UpdateContactInput extends ContactFieldsInput {
  // Agents have the list of all tools. To save tokens, only the description of create_contact has the rules.
  @Doc('Unique.')
  declare external_id?: string | null;

  @Doc('Unique.')
  declare email?: string | null;

  @Doc('Unique. E.164.')
  declare phone?: string | null;

  @Doc('BCP 47.')
  declare locale?: string | null;

  @Doc('IANA time zone.')
  declare timezone?: string | null;

  @Doc('As in create_contact. Properties left out are kept. A null removes one.')
  declare properties?: Record<string, unknown> | null;

  @Text({ min: 1, max: 64 })
  contact_id: string;
}

export class SearchContactsInput extends PageInput {
  @Doc('Literal text in names, the full name, e-mail, phone or external_id. Ignores case.')
  @Text({ optional: true, max: 255 })
  query?: string;

  @Doc(
    'Conditions {field, operator, value} that all hold, or groups {and: […]}, {or: […]}, {not: {…}}. external_id, ' +
      'email, phone, first_name, last_name, locale, timezone: equals, not_equals, contains, not_contains, ' +
      'starts_with, in; properties.<name>: the same and greater_than, less_than, between, before, after, ' +
      'within_days (5 is not "5"); tags: contains (has the tag), not_contains, in; consent.email, ' +
      'consent.sms, consent.webhook: equals, not_equals, in (granted, denied); these, last_message_at, ' +
      'last_activity_at: is_set, is_not_set (no value); these two, created_at, updated_at: before, after, between ' +
      '(RFC 3339 or date), within_days; segment: is, is_not (id, name). in, between: lists. not_ matches contacts ' +
      'without a value too. contains, starts_with ignore A-Z case.',
    {
      examples: [
        [
          { field: 'properties.plan', operator: 'equals', value: 'pro' },
          { field: 'consent.email', operator: 'equals', value: 'granted' },
        ],
      ],
    },
  )
  @ObjectList({ optional: true, max: 50 })
  filters?: object[];

  @Doc('Field to sort by; - before it: descending. Contacts without a value come last.')
  @Choice(CONTACT_SORTS)
  sort: ContactSort = '-created_at';

  @Doc('next_cursor of the previous page, with the same query, filters and sort.')
  @Text({ optional: true, max: 8192 })
  declare cursor?: string;
}

/** Declares what to count. The rules are those of `search_contacts`. */
export class CountContactsInput {
  @Text('Literal text to find, as in search_contacts.', { optional: true, max: 255 })
  query?: string;

  @Doc('Conditions and groups, as in search_contacts.', {
    examples: [[{ or: [{ field: 'tags', operator: 'contains', value: 'vip' }] }]],
  })
  @ObjectList({ optional: true, max: 50 })
  filters?: object[];
}

/** Accepts null for inherited fields, which clears them. */
function ClearableFields(...fields: string[]): ClassDecorator {
  return ({ prototype }) => {
    for (const field of fields) {
      // A condition of a subclass replaces the conditions of its base class, so the field must be made optional again.
      IsOptional()(prototype as object, field);
      Nullable()(prototype as object, field);
    }
  };
}
