import { IsBoolean } from 'class-validator';
import { Doc } from '../tools/schema/doc.decorator.js';
import { MessageResult } from './message-result.js';

export class RecordedMessageResult extends MessageResult {
  @Doc('False when the message had been recorded before.')
  @IsBoolean()
  created: boolean;
}
