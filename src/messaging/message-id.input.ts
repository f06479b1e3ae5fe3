import { IsString, Length } from 'class-validator';
import { Doc } from '../tools/schema/doc.decorator.js';

export class MessageIdInput {
  @Doc('Id of the message.')
  @IsString()
  @Length(1, 64)
  message_id: string;
}
