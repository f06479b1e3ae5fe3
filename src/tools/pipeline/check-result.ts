import { AppError } from '../../errors/app-error.js';
import type { ObjectSchema } from '../schema/json-schema.js';
import { parseBySchema } from '../schema/parse-arguments.js';

/** Throws, with every fault, if the result of a tool does not fit the schema of its output class. */
export function checkResult(
  tool: string,
  outputClass: string,
  schema: ObjectSchema,
  result: object,
): void {
  try {
    // Callers get JSON: without undefined members, and with times as text.
    parseBySchema(schema, JSON.parse(JSON.stringify(result), storable));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const faults = error.details?.map(({ path, message }) => `${path} ${message}`).join('; ');
    throw new Error(`The result of ${tool} is not of its class ${outputClass}: ${faults}`, {
      cause: error,
    });
  }
}

/** A result may quote text of a webhook payload that arguments may not contain, because payloads are stored as bytes. */
function storable(key: string, value: unknown): unknown {
  if (key === '__proto__' || key.includes('\0') || !key.isWellFormed()) return undefined;
  return typeof value === 'string' ? value.replaceAll('\0', ' ').toWellFormed() : value;
}
