import { AppError } from '../../errors/app-error.js';
import { MAX_VALUE_BYTES } from '../../text/value-size.js';
import { parsePayload } from '../journal/parse-payload.js';

/**
 * Returns the bytes of a payload that a call gives. Throws `invalid_arguments` or `too_complex` for a payload beyond
 * the limits of {@link parsePayload}, so that every stored payload can be parsed again.
 */
export function payloadBytes(payload: object): Buffer {
  const bytes = Buffer.from(JSON.stringify(payload));
  if (bytes.length > MAX_VALUE_BYTES) {
    throw AppError.invalid(`payload must be at most ${MAX_VALUE_BYTES} bytes.`);
  }
  parsePayload(bytes);
  return bytes;
}
