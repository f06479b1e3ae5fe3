import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { Doc, Nullable } from '../tools/schema/doc.decorator.js';

/** Each organization has one retention, so there are no arguments. */
export class GetRetentionInput {}

/** Duplicate webhooks are recognized for seven days by the keys that are stored with runs, so runs live that long. */
const LEAST_DAYS = 7;
const MOST_DAYS = 3650;

/** An absent property keeps its setting; null means forever. */
export class SetRetentionInput {
  @Doc('Days after their end for which runs are kept, with the log of their steps; null: for ever.')
  @IsOptional()
  @Nullable()
  @IsInt()
  @Min(LEAST_DAYS)
  @Max(MOST_DAYS)
  runs_days?: number | null;

  @Doc('Days for which messages are kept that need nothing any more; null: for ever.')
  @IsOptional()
  @Nullable()
  @IsInt()
  @Min(LEAST_DAYS)
  @Max(MOST_DAYS)
  messages_days?: number | null;

  @Doc('Days for which the log of webhooks is kept; null: only the newest of each workflow.')
  @IsOptional()
  @Nullable()
  @IsInt()
  @Min(LEAST_DAYS)
  @Max(MOST_DAYS)
  webhook_deliveries_days?: number | null;

  @Doc('Days for which the log of changes is kept; null: for ever.')
  @IsOptional()
  @Nullable()
  @IsInt()
  @Min(LEAST_DAYS)
  @Max(MOST_DAYS)
  audit_log_days?: number | null;
}
