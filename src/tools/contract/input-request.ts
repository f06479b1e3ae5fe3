import { AppError, type Fault } from '../../errors/app-error.js';
import { checkValue } from '../schema/check-value.js';
import { type DtoClass, dtoSchema } from '../schema/dto-schema.js';
import type { JsonSchema, ObjectSchema } from '../schema/json-schema.js';
import { instantiate } from '../schema/parse-arguments.js';

/** Something that a caller can be asked for while it waits for an answer (MCP 2026-07-28, basic/patterns/mrtr). */
export interface InputRequest<Answer = unknown> {
  /** `elicitation/create`, say. */
  readonly method: string;
  readonly params: object;
  /** What a client must have declared to be asked for it: an MCP `ClientCapabilities` object. */
  readonly capability: Readonly<Record<string, object>>;
  /** What the answer says; undefined asks again. Throws {@link AppError} when the person declines. */
  read(answer: unknown): Answer | undefined;
}

export type InputRequests = Readonly<Record<string, InputRequest>>;

export type Answers<Requests extends InputRequests> = {
  [Name in keyof Requests]: Requests[Name] extends InputRequest<infer Answer> ? Answer : never;
};

/** Asks a person to fill in a form, whose fields are texts, numbers, booleans or choices. Never ask for secrets so. */
export function askForm<Form extends object>(
  message: string,
  form: DtoClass<Form>,
): InputRequest<Form> {
  const schema = dtoSchema(form);
  const { properties, required } = schema;
  assertFlat(form, properties);
  return {
    method: 'elicitation/create',
    params: { message, requestedSchema: { type: 'object', properties, required } },
    capability: { elicitation: { form: {} } },
    read: (answer) => {
      const { action, content = {} } = (answer ?? {}) as { action?: unknown; content?: unknown };
      if (action === 'decline' || action === 'cancel') {
        throw new AppError('forbidden', 'The person who was asked did not agree.');
      }
      return action === 'accept' ? readForm(form, schema, content) : undefined;
    },
  };
}

/** MCP, client/elicitation: clients draw forms of single values only. */
function assertFlat(form: DtoClass, properties: Record<string, JsonSchema>): void {
  for (const [name, { type }] of Object.entries(properties)) {
    if (type === 'object' || type === 'array' || Array.isArray(type)) {
      throw new Error(`${form.name}.${name}: a form has fields of single values only.`);
    }
  }
}

/** Returns undefined for an answer that does not fit the form. Fields that the form does not have are left out. */
function readForm<Form extends object>(
  form: DtoClass<Form>,
  schema: ObjectSchema,
  content: unknown,
): Form | undefined {
  if (typeof content !== 'object' || content === null) return undefined;
  const known = Object.entries(content).filter(([name]) => Object.hasOwn(schema.properties, name));
  const faults: Fault[] = [];
  const checked = checkValue(schema, Object.fromEntries(known), '', faults);
  return faults.length === 0 ? instantiate(form, checked as object) : undefined;
}

/** Thrown by `ask` while an answer is missing: ends the call without effect, and its caller gets the questions. */
export class InputRequired extends Error {
  override readonly name = 'InputRequired';

  constructor(
    readonly requests: InputRequests,
    /** To be sent back with the answers, unchanged. */
    readonly state: string,
  ) {
    super('The caller must answer first.');
  }
}

/** Thrown by `ask` where the caller did not declare that it can answer such a question. */
export class MissingCapability extends Error {
  override readonly name = 'MissingCapability';

  constructor(readonly required: Readonly<Record<string, object>>) {
    super('The caller cannot be asked.');
  }
}
