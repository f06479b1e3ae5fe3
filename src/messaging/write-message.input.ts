import { IsString, Length } from 'class-validator';
import { Doc } from '../tools/schema/doc.decorator.js';

export class WriteMessageInput {
  @Doc('Id or e-mail address of the contact to write to.')
  @IsString()
  @Length(1, 254)
  contact: string;

  @Doc('What the message should achieve, such as "invite to the webinar on Friday".')
  @IsString()
  @Length(1, 4000)
  goal: string;
}
