import { IsOptional, IsString, Length } from 'class-validator';
import { Doc, PageInput } from 'switchboard';

export class ListDealsInput extends PageInput {
  @Doc('Only deals with this contact.')
  @IsOptional()
  @IsString()
  @Length(1, 64)
  contact_id?: string;
}
