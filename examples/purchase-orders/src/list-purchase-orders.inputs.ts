import { IsOptional, IsString, Length } from 'class-validator';
import { Doc, PageInput } from 'switchboard';

export class ListPurchaseOrdersInput extends PageInput {
  @Doc('Only purchase orders of this contact.')
  @IsOptional()
  @IsString()
  @Length(1, 64)
  contact_id?: string;
}
