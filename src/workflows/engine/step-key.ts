import { fingerprint } from '../../text/canonical-json.js';

const DIGEST_CHARACTERS = 16;

/**
 * Returns the idempotency key of an external call: the run, the step, and a digest of the request. A call that is
 * repeated, also after a crash or a retry of the run, has the same key while its request is the same. A step that was
 * mended sends another request, and so has another key: a system that knows the first key would refuse it, or return
 * the result of the first request.
 */
export function createStepKey(runId: string, path: string, request: unknown): string {
  return `${runId}:${path}:${fingerprint(request).toString('hex').slice(0, DIGEST_CHARACTERS)}`;
}
