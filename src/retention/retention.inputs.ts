import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { Doc, Nullable } from '../tools/schema/doc.decorator.js';

/** Each organization has one retention, so there are no arguments. */
export class GetRetentionInput {}

/** Duplicate webhooks are recognized for seven days by the keys that are stored with runs, so runs live that long. */
const LEAST_DAYS = 7;
const MOST_DAYS = 3650;

function Days(description: string) {
  return (target: object, property: string): void => {
    const isDays = [Max(MOST_DAYS), Min(LEAST_DAYS), IsInt(), Nullable(), IsOptional()];
    for (const decorate of [...isDays, Doc(description)]) decorate(target, property);
  };
}

/** An absent property keeps its setting; null means forever. */
export class SetRetentionInput {
  @Days(
    'Days after their end for which runs are kept, with the log of their steps; null: for ever.',
  )
  runs_days?: number | null;

  @Days('Days for which messages are kept that need nothing any more; null: for ever.')
  messages_days?: number | null;

  @Days('Days for which the log of webhooks is kept; null: only the newest of each workflow.')
  webhook_deliveries_days?: number | null;

  @Days('Days for which the log of changes is kept; null: for ever.')
  audit_log_days?: number | null;
}
