import { fingerprint } from '../../text/canonical-json.js';

const DIGEST_CHARACTERS = 16;

/**
 * Returns the idempotency key of an external call: the run, the step, and a digest of the request. A repeated call has
 * the same key while its request is the same, even after a crash or a retry of the run. A step that was corrected sends
 * another request, and so has another key. If the corrected request had the same key, the other system would refuse it,
 * or return the result of the first request.
 */
export function createStepKey(runId: string, path: string, request: unknown): string {
  return `${runId}:${path}:${fingerprint(request).toString('hex').slice(0, DIGEST_CHARACTERS)}`;
}
