import { IsIn, IsOptional, IsString, Length, MaxLength } from 'class-validator';
import { Doc } from '../tools/schema/doc.decorator.js';

export const DELIVERY_OUTCOMES = ['delivered', 'bounced', 'failed'] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

export class ReportDeliveryInput {
  @Doc('Id of the message, msg_…, or the Message-ID that it was sent with, <msg_…@your.domain>.')
  @IsString()
  @Length(1, 998)
  message_id: string;

  @Doc('What became of it. bounced and failed both make it failed.')
  @IsIn(DELIVERY_OUTCOMES)
  outcome: DeliveryOutcome;

  @Doc('Why it was not delivered, in the words of the provider. The first 500 characters are kept.')
  @IsOptional()
  @IsString()
  @MaxLength(10_000)
  reason?: string;
}
