import { IsBoolean } from 'class-validator';

export class WithdrawnOfferResult {
  @IsBoolean()
  withdrawn: boolean;
}
