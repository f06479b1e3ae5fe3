import { IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import { Doc } from 'switchboard';

export class RecordPurchaseOrderInput {
  @Doc('Subject of the purchase order.')
  @IsString()
  @Length(1, 200)
  title: string;

  @Doc('In whole euros.')
  @IsInt()
  @Min(0)
  @Max(2_000_000_000)
  amount: number;

  @Doc('Id of the contact of the purchase order.')
  @IsOptional()
  @IsString()
  @Length(1, 64)
  contact_id?: string;

  @Doc('Key of this call: a repeated call with the same key records no second purchase order.')
  @IsOptional()
  @IsString()
  @Length(1, 255)
  idempotency_key?: string;
}
