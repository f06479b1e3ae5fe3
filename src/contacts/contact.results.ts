import { PageResult } from '../paging/paging.js';
import {
  Choice,
  Flag,
  Integer,
  JsonObject,
  ListOf,
  Nested,
  Text,
  TextList,
  Timestamp,
} from '../tools/schema/fields.js';
import { CONSENT_STATUSES, type ConsentStatus } from './consent.js';
import type { Contact, ContactProperties } from './contact.entity.js';

class ConsentStateView {
  @Choice(CONSENT_STATUSES)
  status: ConsentStatus;

  @Text('Surface of the call: agent, workflow or dashboard.')
  source: string;

  @Timestamp()
  updated_at: string;
}

class ConsentView {
  @Nested(() => ConsentStateView, { optional: true })
  email?: ConsentStateView;

  @Nested(() => ConsentStateView, { optional: true })
  sms?: ConsentStateView;

  @Nested(() => ConsentStateView, { optional: true })
  webhook?: ConsentStateView;
}

export class ContactView {
  @Text()
  id: string;

  @Text('Id of this person in another system.', { nullable: true })
  external_id: string | null;

  @Text('Lowercase.', { nullable: true })
  email: string | null;

  @Text('E.164, such as +4930123456.', { nullable: true })
  phone: string | null;

  @Text({ nullable: true })
  first_name: string | null;

  @Text({ nullable: true })
  last_name: string | null;

  @Text('Language tag (BCP 47).', { nullable: true })
  locale: string | null;

  @Text('IANA time zone.', { nullable: true })
  timezone: string | null;

  @TextList()
  tags: string[];

  @JsonObject('Custom properties by name: text, numbers or booleans.')
  properties: ContactProperties;

  @Nested(() => ConsentView, 'Decisions by channel; a channel without a decision is absent.')
  consent: ConsentView;

  @Timestamp()
  created_at: string;

  @Timestamp()
  updated_at: string;

  static of(contact: Contact): ContactView {
    return {
      id: contact.id,
      external_id: contact.externalId,
      email: contact.email,
      phone: contact.phone,
      first_name: contact.firstName,
      last_name: contact.lastName,
      locale: contact.locale,
      timezone: contact.timezone,
      tags: contact.tags,
      properties: contact.properties,
      consent: contact.consent,
      created_at: contact.createdAt.toISOString(),
      updated_at: contact.updatedAt.toISOString(),
    };
  }
}

export class ContactResult {
  @Nested(() => ContactView)
  contact: ContactView;
}

export class ContactPage extends PageResult {
  @ListOf(() => ContactView)
  contacts: ContactView[];
}

export class ContactCount {
  @Integer()
  count: number;

  @Flag('False if more than 10,000 match.')
  is_complete: boolean;
}

export class CreatedContactResult extends ContactResult {
  @Flag('False if an existing contact was updated.')
  created: boolean;
}

/** The numbers of rows about a contact in other tables. */
export class ContactTraces {
  @Integer()
  messages: number;

  @Integer()
  runs: number;

  @Integer()
  suppressions: number;
}

export class DeletedContactResult {
  @Flag()
  deleted: boolean;

  @Nested(() => ContactTraces)
  removed: ContactTraces;

  @Nested(() => ContactTraces)
  kept: ContactTraces;
}
