import { Type } from 'class-transformer';
import { IsArray, IsString, ValidateNested } from 'class-validator';
import { Doc, Nullable } from '../tools/schema/doc.decorator.js';
import { ContactView } from './contact-view.js';

export class ContactPage {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => ContactView)
  contacts: ContactView[];

  @Doc('Pass it as cursor for the next page; null on the last one.')
  @Nullable()
  @IsString()
  next_cursor: string | null;
}
