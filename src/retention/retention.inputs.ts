import { Integer } from '../tools/schema/fields.js';

/** Declares no arguments, because each organization has one set of retention rules. */
export class GetRetentionInput {}

/**
 * The smallest number of days. Duplicate deliveries of webhooks are recognized for seven days. Their keys are stored
 * with the runs, so runs must be kept for at least seven days.
 */
const DAYS = { optional: true, nullable: true, min: 7, max: 3650 };
/** The smallest number of days for the audit log. The database enforces this minimum too. */
const AUDIT_LOG_DAYS = { ...DAYS, min: 90 };

/** Declares the rules. An absent property keeps its setting; null means forever. */
export class SetRetentionInput {
  @Integer('Days to keep runs after their end, with their run journals; null: forever.', DAYS)
  runs_days?: number | null;

  @Integer('Days to keep finished messages; null: forever.', DAYS)
  messages_days?: number | null;

  @Integer('Days to keep webhook deliveries; null: only the newest of each workflow.', DAYS)
  webhook_deliveries_days?: number | null;

  @Integer('Days to keep the audit log; null: forever.', AUDIT_LOG_DAYS)
  audit_log_days?: number | null;
}
