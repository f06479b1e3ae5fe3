import { Type } from 'class-transformer';
import { IsArray, IsString, ValidateNested } from 'class-validator';
import { Doc, Nullable } from '../tools/schema/doc.decorator.js';
import { MessageView } from './message-view.js';

export class MessagePage {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => MessageView)
  messages: MessageView[];

  @Doc('Pass it as cursor for the next page; null on the last one.')
  @Nullable()
  @IsString()
  next_cursor: string | null;
}
