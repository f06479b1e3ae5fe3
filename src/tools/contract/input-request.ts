import { AppError } from '../../errors/app-error.js';
import { FaultList } from '../../errors/fault-list.js';
import { checkValue } from '../schema/check-value.js';
import { type SchemaClass, classSchema } from '../schema/class-schema.js';
import type { JsonSchema, ObjectSchema } from '../schema/json-schema.js';
import { instantiate } from '../schema/parse-arguments.js';

/** A request to the caller during its call (MCP 2026-07-28, basic/patterns/mrtr). */
export interface InputRequest<Answer = unknown> {
  /** The MCP method, for example `elicitation/create`. */
  readonly method: string;
  readonly params: object;
  /** The `ClientCapabilities` that a client must have declared. */
  readonly capability: Readonly<Record<string, object>>;
  /** Parses a response. Returns undefined to ask again. Throws {@link AppError} if the person declines. */
  read(answer: unknown): Answer | undefined;
}

export type InputRequests = Readonly<Record<string, InputRequest>>;

export type Answers<Requests extends InputRequests> = {
  [Name in keyof Requests]: Requests[Name] extends InputRequest<infer Answer> ? Answer : never;
};

/** Asks a person to fill in a form of texts, numbers, booleans and choices. Never ask for secrets with it. */
export function askForm<Form extends object>(
  message: string,
  form: SchemaClass<Form>,
): InputRequest<Form> {
  const schema = classSchema(form);
  const { properties, required } = schema;
  assertFlat(form, properties);
  return {
    method: 'elicitation/create',
    params: { message, requestedSchema: { type: 'object', properties, required } },
    capability: { elicitation: { form: {} } },
    read: (answer) => {
      const { action, content = {} } = (answer ?? {}) as { action?: unknown; content?: unknown };
      if (action === 'decline' || action === 'cancel') {
        throw new AppError('forbidden', 'The person declined the request.');
      }
      return action === 'accept' ? readForm(form, schema, content) : undefined;
    },
  };
}

/** Throws for a field with more than one value, because clients show single values only (MCP, client/elicitation). */
function assertFlat(form: SchemaClass, properties: Record<string, JsonSchema>): void {
  for (const [name, { type }] of Object.entries(properties)) {
    if (type === 'object' || type === 'array' || Array.isArray(type)) {
      throw new Error(`${form.name}.${name}: a form has fields of single values only.`);
    }
  }
}

/**
 * Returns the fields of a response, without fields that the form does not have. Returns undefined when the response
 * does not fit the form.
 */
function readForm<Form extends object>(
  form: SchemaClass<Form>,
  schema: ObjectSchema,
  content: unknown,
): Form | undefined {
  if (typeof content !== 'object' || content === null) return undefined;
  const known = Object.entries(content).filter(([name]) => Object.hasOwn(schema.properties, name));
  const faults = new FaultList();
  const checked = checkValue(schema, Object.fromEntries(known), '', faults);
  return faults.length === 0 ? instantiate(form, checked as object) : undefined;
}

/**
 * The error that `ask` throws while a response is missing. The call is rolled back and its caller gets the input
 * requests.
 */
export class InputRequired extends Error {
  override readonly name = 'InputRequired';

  constructor(
    readonly requests: InputRequests,
    /** The text that the client sends back unchanged with the responses. */
    readonly state: string,
  ) {
    super('The caller must respond to input requests first.');
  }
}

/** The error that `ask` throws if the caller has not declared the capability that an input request needs. */
export class MissingCapability extends Error {
  override readonly name = 'MissingCapability';

  constructor(readonly required: Readonly<Record<string, object>>) {
    super('The caller has not declared a capability that this call needs.');
  }
}
