import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
addFormats.default(ajv);
// All test files of a worker share the compiled schemas, because compiling them takes longer than a start of
// Switchboard.
const compiled = new Map<string, ValidateFunction>();

/** Checks the results of tools against their output schemas, which come from the list of tools. */
export class OutputSchemas {
  private readonly schemas: Map<string, object>;
  private readonly validators = new Map<string, ValidateFunction>();

  constructor(tools: { name: string; outputSchema?: object }[]) {
    // A tool without a schema may return any object.
    this.schemas = new Map(
      tools.map(({ name, outputSchema = { type: 'object' } }) => [name, outputSchema]),
    );
  }

  /** Throws when the tool is unknown or the result does not match its output schema. */
  check(tool: string, result: unknown): void {
    const schema = this.schemas.get(tool);
    if (!schema) throw new Error(`${tool} is not in the list of tools.`);
    const validate = this.validators.get(tool) ?? compile(schema);
    this.validators.set(tool, validate);
    if (!validate(result)) {
      throw new Error(
        `The result of ${tool} does not match its output schema: ${JSON.stringify(validate.errors)}`,
      );
    }
  }
}

function compile(schema: object): ValidateFunction {
  const text = JSON.stringify(schema);
  const validate = compiled.get(text) ?? ajv.compile(schema);
  compiled.set(text, validate);
  return validate;
}
