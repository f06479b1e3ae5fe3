import { Integer } from '../tools/schema/fields.js';

/** Each organization has one retention, so there are no arguments. */
export class GetRetentionInput {}

/** Duplicate webhooks are recognized for seven days by the keys that are stored with runs, so runs live that long. */
const DAYS = { optional: true, nullable: true, min: 7, max: 3650 };

/** An absent property keeps its setting; null means forever. */
export class SetRetentionInput {
  @Integer(
    'Days after their end for which runs are kept, with the log of their steps; null: for ever.',
    DAYS,
  )
  runs_days?: number | null;

  @Integer('Days for which messages are kept that need nothing any more; null: for ever.', DAYS)
  messages_days?: number | null;

  @Integer(
    'Days for which the log of webhooks is kept; null: only the newest of each workflow.',
    DAYS,
  )
  webhook_deliveries_days?: number | null;

  @Integer('Days for which the log of changes is kept; null: for ever.', DAYS)
  audit_log_days?: number | null;
}
