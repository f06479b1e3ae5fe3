import { IsIn, IsInt, IsOptional, IsString, Length, Max, MaxLength, Min } from 'class-validator';
import { Doc } from '../tools/schema/doc.decorator.js';
import { MESSAGE_STATUSES, type MessageStatus } from './message-status.js';

export class ListMessagesInput {
  @Doc('Only messages to this contact.')
  @IsOptional()
  @IsString()
  @Length(1, 64)
  contact_id?: string;

  @Doc('Only messages with this status.')
  @IsOptional()
  @IsIn(MESSAGE_STATUSES)
  status?: MessageStatus;

  @Doc('Only messages that this run of a workflow sent.')
  @IsOptional()
  @IsString()
  @Length(1, 64)
  run_id?: string;

  @Doc('Most messages to return.')
  @IsInt()
  @Min(1)
  @Max(100)
  limit: number = 20;

  @Doc('next_cursor of the page before, with the same filters.')
  @IsOptional()
  @IsString()
  @MaxLength(1024)
  cursor?: string;
}
