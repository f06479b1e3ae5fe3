import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** Checks what tools answer against the output schemas that they promise, by the service's own list. */
export class OutputSchemas {
  private readonly validators = new Map<string, ValidateFunction>();

  constructor(tools: { name: string; outputSchema?: object }[]) {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    addFormats.default(ajv);
    // Those without a schema answer with content, whose blocks are what they want.
    for (const { name, outputSchema = { type: 'object' } } of tools) {
      this.validators.set(name, ajv.compile(outputSchema));
    }
  }

  /** Throws when the result is not what the tool promised. */
  check(tool: string, result: unknown): void {
    const validate = this.validators.get(tool);
    if (!validate) throw new Error(`${tool} is not in the list of tools.`);
    if (!validate(result)) {
      throw new Error(`${tool} broke its output schema: ${JSON.stringify(validate.errors)}`);
    }
  }
}
