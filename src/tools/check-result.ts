import { AppError } from '../errors/app-error.js';
import { parseArguments } from './parse-arguments.js';
import type { DtoClass } from './schema/dto-schema.js';
import type { ObjectSchema } from './schema/json-schema.js';

/** Throws, naming each fault, when what a tool returns is not what its output class promises to callers. */
export function checkResult(
  tool: string,
  output: { dto: DtoClass; schema: ObjectSchema },
  result: object,
): void {
  try {
    // What callers get is JSON: without what is undefined, and with times as text.
    parseArguments(output.dto, output.schema, JSON.parse(JSON.stringify(result)));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const faults = error.details?.map(({ path, message }) => `${path} ${message}`).join('; ');
    throw new Error(`The result of ${tool} is not of its class ${output.dto.name}: ${faults}`, {
      cause: error,
    });
  }
}
