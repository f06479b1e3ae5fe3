import { parseJsonExactly } from '../../http/request-body.js';
import { VALUE_LIMITS } from '../../text/value-size.js';
import { guardLargeValues } from '../payloads/large-members.js';
import type { LargePayload } from '../payloads/large-value.js';

/**
 * Returns the payload of a run, as expressions see it. Throws `too_complex` when the payload is nested deeper than 72
 * levels or has more than 20,000 members.
 */
export function parsePayload(bytes: Uint8Array): unknown {
  return parseJsonExactly(bytes, VALUE_LIMITS);
}

/**
 * Returns the payload of a run from its row, as {@link parsePayload} does. Its large values can be read only after a
 * call of `makeReadable`.
 */
export function readPayload(bytes: Uint8Array, large?: LargePayload | null): unknown {
  const payload = parsePayload(bytes);
  return large ? guardLargeValues(payload, large) : payload;
}
