import { Type } from 'class-transformer';
import { IsInt, ValidateNested } from 'class-validator';
import { Doc, Nullable } from '../tools/schema/doc.decorator.js';

/** Days for which an organization keeps each kind of rows; null means forever. */
export class RetentionView {
  @IsInt()
  @Nullable()
  @Doc('After their end.')
  runs_days: number | null;

  @IsInt()
  @Nullable()
  messages_days: number | null;

  @IsInt()
  @Nullable()
  webhook_deliveries_days: number | null;

  @IsInt()
  @Nullable()
  audit_log_days: number | null;
}

export class RetentionResult {
  @ValidateNested()
  @Type(() => RetentionView)
  retention: RetentionView;
}
