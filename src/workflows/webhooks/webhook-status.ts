import type { AppErrorCode } from '../../errors/app-error.js';
import { HTTP_STATUS } from '../../errors/http-status.js';

/** Status of a failure as a webhook answers it. */
export function webhookStatus(code: AppErrorCode): number {
  // Here only a header can be wrong in this way, and that is a bad request.
  return code === 'invalid_arguments' ? 400 : HTTP_STATUS[code];
}
