import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  ValidateNested,
} from 'class-validator';
import { PageResult } from '../paging/paging.js';
import { Doc, Nullable } from '../tools/schema/doc.decorator.js';
import { CONSENT_STATUSES, type ConsentStatus } from './consent.js';
import type { ContactProperties } from './contact-fields.js';
import type { Contact } from './contact.entity.js';

class ConsentStateView {
  @IsIn(CONSENT_STATUSES)
  status: ConsentStatus;

  @Doc('Surface that recorded it: agent, workflow or dashboard.')
  @IsString()
  source: string;

  @Doc('RFC 3339, UTC.')
  @IsString()
  updated_at: string;
}

class ConsentView {
  @IsOptional()
  @ValidateNested()
  @Type(() => ConsentStateView)
  email?: ConsentStateView;

  @IsOptional()
  @ValidateNested()
  @Type(() => ConsentStateView)
  sms?: ConsentStateView;

  @IsOptional()
  @ValidateNested()
  @Type(() => ConsentStateView)
  webhook?: ConsentStateView;
}

/** A contact as callers see it. */
export class ContactView {
  @IsString()
  id: string;

  @Doc('Id of this person in another system.')
  @Nullable()
  @IsString()
  external_id: string | null;

  @Doc('Lowercase.')
  @Nullable()
  @IsString()
  email: string | null;

  @Doc('E.164, such as +4930123456.')
  @Nullable()
  @IsString()
  phone: string | null;

  @Nullable()
  @IsString()
  first_name: string | null;

  @Nullable()
  @IsString()
  last_name: string | null;

  @Doc('Language tag (BCP 47).')
  @Nullable()
  @IsString()
  locale: string | null;

  @Doc('IANA time zone.')
  @Nullable()
  @IsString()
  timezone: string | null;

  @IsArray()
  @IsString({ each: true })
  tags: string[];

  @Doc('Custom properties by name: text, numbers or booleans.')
  @IsObject()
  properties: ContactProperties;

  @Doc('Decisions by channel; a channel without a decision is absent.')
  @ValidateNested()
  @Type(() => ConsentView)
  consent: ConsentView;

  @Doc('RFC 3339, UTC.')
  @IsString()
  created_at: string;

  @Doc('RFC 3339, UTC.')
  @IsString()
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
  @ValidateNested()
  @Type(() => ContactView)
  contact: ContactView;
}

export class ContactPage extends PageResult {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => ContactView)
  contacts: ContactView[];
}

export class CreatedContactResult extends ContactResult {
  @Doc('False when an existing contact was updated.')
  @IsBoolean()
  created: boolean;
}

export class DeletedContactResult {
  @IsBoolean()
  deleted: boolean;
}
