import { IsInt, IsString, Length, Max, Min } from 'class-validator';
import { Doc } from '../../tools/schema/doc.decorator.js';

export class WebhookDeliveriesInput {
  @Doc('Id of the workflow.')
  @IsString()
  @Length(1, 64)
  workflow_id: string;

  @Doc('How many, the newest first.')
  @IsInt()
  @Min(1)
  @Max(150)
  limit: number = 20;
}
