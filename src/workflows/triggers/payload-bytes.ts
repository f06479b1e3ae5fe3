import { AppError } from '../../errors/app-error.js';
import { parseJson } from '../../http/request-body.js';

const MAX_PAYLOAD_BYTES = 1024 * 1024;

/**
 * Returns the bytes of a payload that a call gives. They meet the limits of webhook bodies, so that every stored payload
 * can be parsed again. Throws `invalid_arguments` or `too_complex` for others.
 */
export function payloadBytes(payload: object): Buffer {
  const bytes = Buffer.from(JSON.stringify(payload));
  if (bytes.length > MAX_PAYLOAD_BYTES) {
    throw AppError.invalid(`payload must be at most ${MAX_PAYLOAD_BYTES} bytes.`);
  }
  parseJson(bytes);
  return bytes;
}
