import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { MessageView } from './message-view.js';

export class MessageResult {
  @ValidateNested()
  @Type(() => MessageView)
  message: MessageView;
}
