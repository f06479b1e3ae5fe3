import { Integer } from '../tools/schema/fields.js';

/** Declares no arguments, because each organization has one retention. */
export class GetRetentionInput {}

/** Duplicate webhooks are recognized for seven days by the keys that are stored with runs, so runs live that long. */
const DAYS = { optional: true, nullable: true, min: 7, max: 3650 };

/** Declares the rules. An absent property keeps its setting; null means forever. */
export class SetRetentionInput {
  @Integer(
    'Days after their end for which runs are kept, with the log of their steps; null: forever.',
    DAYS,
  )
  runs_days?: number | null;

  @Integer('Days for which finished messages are kept; null: forever.', DAYS)
  messages_days?: number | null;

  @Integer(
    'Days for which the log of webhooks is kept; null: only the newest of each workflow.',
    DAYS,
  )
  webhook_deliveries_days?: number | null;

  @Integer('Days for which the log of changes is kept; null: forever.', DAYS)
  audit_log_days?: number | null;
}
