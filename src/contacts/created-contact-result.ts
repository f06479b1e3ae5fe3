import { IsBoolean } from 'class-validator';
import { Doc } from '../tools/schema/doc.decorator.js';
import { ContactResult } from './contact-result.js';

export class CreatedContactResult extends ContactResult {
  @Doc('False when a contact that was there already has been updated.')
  @IsBoolean()
  created: boolean;
}
