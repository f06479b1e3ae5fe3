import { IsString, Length } from 'class-validator';
import { Doc } from '../tools/schema/doc.decorator.js';

export class DeleteContactInput {
  @Doc('Id of the contact.')
  @IsString()
  @Length(1, 64)
  contact_id: string;
}
