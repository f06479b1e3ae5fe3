import { IsBoolean } from 'class-validator';
import { Doc } from '../tools/schema/doc.decorator.js';
import { MessageResult } from './message-result.js';

export class ReportedDeliveryResult extends MessageResult {
  @Doc('False when the report said nothing new, or came after one that outranks it.')
  @IsBoolean()
  changed: boolean;
}
