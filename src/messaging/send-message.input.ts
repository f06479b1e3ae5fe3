import { IsIn, IsObject, IsOptional, IsString, Length, MaxLength } from 'class-validator';
import { Doc } from '../tools/schema/doc.decorator.js';
import { MESSAGE_CHANNELS, type MessageChannel } from './message-status.js';

export class SendMessageInput {
  @Doc('Id of the contact to write to. Exactly one of contact_id, email and phone is required.')
  @IsOptional()
  @IsString()
  @Length(1, 64)
  contact_id?: string;

  @Doc('E-mail address of a contact, in any case. It must be that of an existing contact.')
  @IsOptional()
  @IsString()
  @Length(1, 254)
  email?: string;

  @Doc('Phone number of a contact in international form, such as +4930123456.')
  @IsOptional()
  @IsString()
  @Length(1, 40)
  phone?: string;

  @Doc('Only email is supported yet.')
  @IsIn(MESSAGE_CHANNELS)
  channel: MessageChannel = 'email';

  @Doc('Subject line; required for email. One line of at most 500 characters.')
  @IsOptional()
  @IsString()
  @MaxLength(262_144)
  subject?: string;

  @Doc('The message in plain text, at most 256 KiB. Required.')
  @IsOptional()
  @IsString()
  @MaxLength(262_144)
  body?: string;

  @Doc('Not supported yet. Give body instead.')
  @IsOptional()
  @IsString()
  @Length(1, 64)
  template_id?: string;

  @Doc(
    'When given, even if empty, subject and body are Liquid templates over these values and the contact: ' +
      '"Hello {{ contact.first_name }}, your code is {{ code }}". When absent, both are literal.',
    { examples: [{ code: '1234' }] },
  )
  @IsOptional()
  @IsObject()
  variables?: object;

  @Doc(
    'When to send it: RFC 3339 with its zone, at most one year ahead. Absent or past: at once.',
    { examples: ['2030-01-31T09:00:00Z'] },
  )
  @IsOptional()
  @IsString()
  @MaxLength(64)
  scheduled_at?: string;

  @Doc(
    'Your own id for this message: the same call again with the same key returns the first one. Use one whenever you ' +
      'may retry.',
  )
  @IsOptional()
  @IsString()
  @Length(1, 255)
  idempotency_key?: string;
}
