import { AppError } from '../../errors/app-error.js';
import type { RegisteredTool } from './registered-tool.js';

/** The largest encoded result of a tool, in bytes. A larger result would keep the process from serving other calls. */
export const MAX_RESULT_BYTES = 1024 * 1024;

/** Returns an encoded result. Throws `invalid_arguments` when it is larger than {@link MAX_RESULT_BYTES}. */
export function withinLimit(encoded: string, { descriptor, readOnly }: RegisteredTool): string {
  const bytes = Buffer.byteLength(encoded);
  if (bytes <= MAX_RESULT_BYTES) return encoded;
  const { properties } = descriptor.inputSchema;
  const advice = Object.hasOwn(properties, 'limit') ? ' Ask for fewer results with limit.' : '';
  const change = readOnly ? '' : ' The call was made, and its changes are kept.';
  throw AppError.invalid(
    `The result has ${bytes} bytes, and at most ${MAX_RESULT_BYTES} are sent.${change}${advice}`,
  );
}
