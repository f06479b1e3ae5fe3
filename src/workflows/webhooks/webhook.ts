import type { WebhookOptions } from '../saved/workflow.entity.js';

/** A webhook workflow as its URL needs to know it. */
export interface Webhook {
  readonly workflowId: string;
  readonly organizationId: string;
  /** Another one after every change of the workflow. */
  readonly revision: string;
  readonly active: boolean;
  /** Those that it may be signed with now; none: it need not be signed. */
  readonly secrets: readonly string[];
  /** The secret before, encrypted, if it is not valid any more. */
  readonly formerSecret: Buffer | null;
  readonly options: WebhookOptions;
  /** Whether its runs may have to wait for one another. */
  readonly isLimited: boolean;
  /** No run starts where it does not hold. */
  readonly condition: string | undefined;
}
