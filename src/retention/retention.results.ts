import { Integer, Nested } from '../tools/schema/fields.js';

/** The number of days for which an organization keeps each kind of row; null means forever. */
export class RetentionView {
  @Integer('Days after the end of a run.', { nullable: true })
  runs_days: number | null;

  @Integer({ nullable: true })
  messages_days: number | null;

  @Integer({ nullable: true })
  webhook_deliveries_days: number | null;

  @Integer({ nullable: true })
  audit_log_days: number | null;
}

export class RetentionResult {
  @Nested(() => RetentionView)
  retention: RetentionView;
}
