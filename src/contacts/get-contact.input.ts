import { IsOptional, IsString, Length, MaxLength } from 'class-validator';
import { Doc } from '../tools/schema/doc.decorator.js';

export class GetContactInput {
  @Doc('Id of the contact.')
  @IsOptional()
  @IsString()
  @Length(1, 64)
  contact_id?: string;

  @Doc('E-mail address in any case.')
  @IsOptional()
  @IsString()
  @MaxLength(254)
  email?: string;

  @Doc('Id of this person in another system.')
  @IsOptional()
  @IsString()
  @MaxLength(255)
  external_id?: string;
}
