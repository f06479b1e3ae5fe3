import { IsIn, IsOptional, IsString, Length, MaxLength } from 'class-validator';
import { Doc } from '../tools/schema/doc.decorator.js';
import { MESSAGE_CHANNELS, type MessageChannel } from './message-status.js';

export class RecordMessageInput {
  @Doc('Id of the contact who wrote it. Exactly one of contact_id, email and phone is required.')
  @IsOptional()
  @IsString()
  @Length(1, 64)
  contact_id?: string;

  @Doc('E-mail address of the contact, in any case. It must be that of an existing contact.')
  @IsOptional()
  @IsString()
  @Length(1, 254)
  email?: string;

  @Doc('Phone number of the contact in international form, such as +4930123456.')
  @IsOptional()
  @IsString()
  @Length(1, 40)
  phone?: string;

  @Doc('How it came.')
  @IsIn(MESSAGE_CHANNELS)
  channel: MessageChannel = 'email';

  @Doc('Address of yours that it was sent to.')
  @IsOptional()
  @IsString()
  @Length(1, 254)
  to?: string;

  @Doc('Subject line.')
  @IsOptional()
  @IsString()
  @MaxLength(2000)
  subject?: string;

  @Doc('The message in plain text, at most 256 KiB.')
  @IsString()
  @MaxLength(262_144)
  body: string;

  @Doc(
    "The provider's id of the message. Where one is given, a message of that channel is recorded once: told of it " +
      'again, the tool returns the first. Give it whenever the provider may repeat its webhook.',
    { examples: ['SM5f2c1b'] },
  )
  @IsOptional()
  @IsString()
  @Length(1, 998)
  external_id?: string;
}
