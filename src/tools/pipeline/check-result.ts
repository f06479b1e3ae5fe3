import { AppError } from '../../errors/app-error.js';
import { parseArguments } from '../schema/parse-arguments.js';
import type { DtoClass } from '../schema/dto-schema.js';
import type { ObjectSchema } from '../schema/json-schema.js';

/** Throws, naming each fault, when what a tool returns is not what its output class promises to callers. */
export function checkResult(
  tool: string,
  output: { dto: DtoClass; schema: ObjectSchema },
  result: object,
): void {
  try {
    // What callers get is JSON: without what is undefined, and with times as text.
    parseArguments(output.dto, output.schema, JSON.parse(JSON.stringify(result), storable));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const faults = error.details?.map(({ path, message }) => `${path} ${message}`).join('; ');
    throw new Error(`The result of ${tool} is not of its class ${output.dto.name}: ${faults}`, {
      cause: error,
    });
  }
}

/**
 * A reviver that leaves out what arguments may not have and PostgreSQL cannot hold: a result may quote it, out of a payload
 * that is kept as bytes.
 */
function storable(key: string, value: unknown): unknown {
  if (key === '__proto__' || key.includes('\0') || !key.isWellFormed()) return undefined;
  return typeof value === 'string' ? value.replaceAll('\0', ' ').toWellFormed() : value;
}
