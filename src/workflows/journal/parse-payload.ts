import { parseJsonExactly } from '../../http/request-body.js';

/** A step can forward the largest body of a request, with other values around it. */
const LIMITS = { depth: 72, members: 20_000 };

/**
 * Returns the payload of a run, as expressions see it. Throws `too_complex` when it is nested deeper than 72 levels or
 * has more than 20,000 members.
 */
export function parsePayload(bytes: Uint8Array): unknown {
  return parseJsonExactly(bytes, LIMITS);
}
