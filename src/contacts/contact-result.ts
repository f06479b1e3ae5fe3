import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { ContactView } from './contact-view.js';

export class ContactResult {
  @ValidateNested()
  @Type(() => ContactView)
  contact: ContactView;
}
