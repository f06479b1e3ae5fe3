import { IsIn, IsOptional } from 'class-validator';
import { CONSENT_STATUSES, type ConsentStatus } from './consent.js';

export class ConsentInput {
  @IsOptional()
  @IsIn(CONSENT_STATUSES)
  email?: ConsentStatus;

  @IsOptional()
  @IsIn(CONSENT_STATUSES)
  sms?: ConsentStatus;

  @IsOptional()
  @IsIn(CONSENT_STATUSES)
  webhook?: ConsentStatus;
}
