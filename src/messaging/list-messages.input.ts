import { IsIn, IsOptional, IsString, Length } from 'class-validator';
import { PageInput } from '../tools/page.input.js';
import { Doc } from '../tools/schema/doc.decorator.js';
import { MESSAGE_STATUSES, type MessageStatus } from './message-status.js';

export class ListMessagesInput extends PageInput {
  @Doc('Only messages to or from this contact.')
  @IsOptional()
  @IsString()
  @Length(1, 64)
  contact_id?: string;

  @Doc('Only messages with this status.')
  @IsOptional()
  @IsIn(MESSAGE_STATUSES)
  status?: MessageStatus;

  @Doc('Only messages that this run sent.')
  @IsOptional()
  @IsString()
  @Length(1, 64)
  run_id?: string;
}
