import { type AppErrorCode, HTTP_STATUS } from '../../errors/app-error.js';
import type { WebhookOptions } from '../store/workflow.entity.js';

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

/** Status of a failure as a webhook answers it. */
export function webhookStatus(code: AppErrorCode): number {
  // Here only a header can be wrong in this way, and that is a bad request.
  return code === 'invalid_arguments' ? 400 : HTTP_STATUS[code];
}
