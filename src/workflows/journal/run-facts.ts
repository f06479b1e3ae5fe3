import type { RunTriggerType } from '../definitions/trigger.js';

/** What a worker needs to know of the row of a run. */
export interface RunFacts {
  readonly id: string;
  readonly organizationId: string;
  readonly workflowId: string;
  readonly workflowVersion: number;
  readonly triggerType: RunTriggerType;
  readonly depth: number;
  readonly crashes: number;
  /** Steps may set it. */
  contactId: string | null;
}
