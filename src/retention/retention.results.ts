import { Type } from 'class-transformer';
import { IsInt, ValidateNested } from 'class-validator';
import { Doc, Nullable } from '../tools/schema/doc.decorator.js';

/** For how many days an organization keeps what piles up; null means for ever. */
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
