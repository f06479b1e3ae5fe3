import type { FaultList } from '../../errors/fault-list.js';
import { isJsonObject } from '../../text/is-json-object.js';
import { didYouMean } from '../../text/nearest-names.js';
import { hiddenCharacter } from '../../text/hidden-character.js';
import { isOfType } from './check-value.js';
import type { JsonSchema, JsonType, ObjectSchema } from './json-schema.js';

export interface SchemaLimits {
  readonly bytes: number;
  readonly depth: number;
  /** The largest total number of properties in all objects. */
  readonly properties: number;
  readonly formats: readonly string[];
  /** The names that properties of the root may not have. */
  readonly reserved: readonly string[];
}

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const;
const SCALARS: readonly string[] = ['string', 'number', 'integer', 'boolean'];
const ANYWHERE = ['type', 'title', 'description', 'enum'];
const KEYWORDS: Record<(typeof TYPES)[number], readonly string[]> = {
  string: ['format', 'minLength', 'maxLength'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  boolean: [],
  array: ['items', 'minItems', 'maxItems'],
  object: ['properties', 'required', 'additionalProperties'],
};
/** Matches argument names that every model accepts. The letter at the beginning excludes `__proto__`. */
const PROPERTY = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
const MAX_ENUM_VALUES = 50;
const MAX_TEXT_LENGTH = 500;

type Json = Record<string, unknown>;

/**
 * Parses a schema without references and patterns, because an untrusted pattern could block the process. Adds every
 * fault with its path. After a fault the result must not be used. An object with properties allows no others unless it
 * has `additionalProperties: true`.
 */
export function parseObjectSchema(
  given: object,
  path: string,
  limits: SchemaLimits,
  faults: FaultList,
): ObjectSchema {
  if (Buffer.byteLength(JSON.stringify(given)) > limits.bytes) {
    faults.push({ path, message: `must be at most ${limits.bytes} bytes of JSON` });
    return { type: 'object', properties: {} };
  }
  return new SchemaReader(limits, faults).root(given as Json, path);
}

class SchemaReader {
  private properties = 0;

  constructor(
    private readonly limits: SchemaLimits,
    private readonly faults: FaultList,
  ) {}

  root(given: Json, path: string): ObjectSchema {
    if (given.type !== 'object') this.fault(`${path}.type`, 'must be object');
    if (given.additionalProperties === true) {
      this.fault(`${path}.additionalProperties`, 'must be false, or absent');
    }
    const { properties = {} } = given;
    const names = isJsonObject(properties) ? Object.keys(properties) : [];
    for (const name of names.filter((each) => this.limits.reserved.includes(each))) {
      this.fault(`${path}.properties.${name}`, 'is reserved');
    }
    const schema = this.schema({ ...given, type: 'object', properties }, path, 1);
    return schema as ObjectSchema;
  }

  private schema(given: unknown, path: string, depth: number): JsonSchema {
    if (!isJsonObject(given)) {
      this.fault(path, 'must be a schema');
      return {};
    }
    if (depth > this.limits.depth) {
      this.fault(path, `is nested deeper than ${this.limits.depth}`);
      return {};
    }
    const type = TYPES.find((known) => known === given.type);
    if (!type) {
      const message = given.type === undefined ? 'is required' : `must be ${TYPES.join(', ')}`;
      this.fault(`${path}.type`, message);
      return {};
    }
    const known = [...ANYWHERE, ...KEYWORDS[type]];
    for (const key of Object.keys(given).filter((each) => !known.includes(each))) {
      const shown = key.slice(0, 64).toWellFormed();
      this.fault(`${path}.${shown}`, () => `is not known here.${didYouMean(shown, known)}`);
    }
    return {
      type,
      ...this.texts(given, path),
      ...this.values(given, type, path),
      ...this.limitsOf(given, type, path),
      ...(type === 'array' && { items: this.items(given, path, depth) }),
      ...(type === 'object' && this.members(given, path, depth)),
    };
  }

  private texts(given: Json, path: string): Pick<JsonSchema, 'title' | 'description'> {
    const texts: { title?: string; description?: string } = {};
    for (const key of ['title', 'description'] as const) {
      const text = given[key];
      if (text === undefined) continue;
      if (typeof text !== 'string' || text === '' || text.length > MAX_TEXT_LENGTH) {
        this.fault(`${path}.${key}`, `must be text of 1 to ${MAX_TEXT_LENGTH} characters`);
        continue;
      }
      const hidden = hiddenCharacter(text);
      if (hidden) this.fault(`${path}.${key}`, `must not contain ${hidden}`);
      texts[key] = text;
    }
    return texts;
  }

  private values(given: Json, type: JsonType, path: string): Pick<JsonSchema, 'enum'> {
    const { enum: values } = given;
    if (values === undefined) return {};
    const at = `${path}.enum`;
    if (!SCALARS.includes(type)) this.fault(at, `is not allowed for type ${type}`);
    else if (!Array.isArray(values) || values.length === 0 || values.length > MAX_ENUM_VALUES) {
      this.fault(at, `must be a list of 1 to ${MAX_ENUM_VALUES} values`);
    } else if (!values.every((value) => isOfType(value, type))) {
      this.fault(at, `must have values of type ${type} only`);
    } else if (new Set(values).size < values.length) this.fault(at, 'must not repeat a value');
    else if (values.some((value) => typeof value === 'string' && hiddenCharacter(value))) {
      this.fault(at, 'must not contain invisible characters');
    } else return { enum: values as unknown[] };
    return {};
  }

  private limitsOf(given: Json, type: JsonType, path: string): JsonSchema {
    const read: Record<string, unknown> = {};
    const range = RANGES[type];
    if (range) {
      const [min, max] = range.map((key) => this.limit(given[key], type, `${path}.${key}`));
      if (min !== undefined) read[range[0]] = min;
      if (max !== undefined) read[range[1]] = max;
      if (min !== undefined && max !== undefined && min > max) {
        this.fault(`${path}.${range[1]}`, `must be at least ${range[0]}`);
      }
    }
    const { format } = given;
    if (type === 'string' && format !== undefined) {
      if (typeof format === 'string' && this.limits.formats.includes(format)) read.format = format;
      else this.fault(`${path}.format`, `must be one of ${this.limits.formats.join(', ')}`);
    }
    return read;
  }

  private limit(value: unknown, type: JsonType, path: string): number | undefined {
    if (value === undefined) return undefined;
    const counts = type === 'string' || type === 'array';
    const fits = counts
      ? Number.isSafeInteger(value) && (value as number) >= 0
      : Number.isFinite(value);
    if (fits) return value as number;
    this.fault(path, counts ? 'must be a whole number of at least 0' : 'must be a number');
    return undefined;
  }

  private items({ items }: Json, path: string, depth: number): JsonSchema {
    if (items !== undefined) return this.schema(items, `${path}.items`, depth + 1);
    this.fault(`${path}.items`, 'is required');
    return {};
  }

  private members(given: Json, path: string, depth: number): JsonSchema {
    const { properties, required, additionalProperties } = given;
    if (additionalProperties !== undefined && typeof additionalProperties !== 'boolean') {
      this.fault(`${path}.additionalProperties`, 'must be true or false');
    }
    if (properties === undefined) {
      if (required !== undefined) this.fault(`${path}.required`, 'needs properties');
      return { additionalProperties: additionalProperties !== false };
    }
    if (!isJsonObject(properties)) {
      this.fault(`${path}.properties`, 'must be an object');
      return {};
    }
    const names = Object.keys(properties);
    this.properties += names.length;
    if (this.properties > this.limits.properties) {
      const most = this.limits.properties;
      // The fault is added once and parsing stops, because a schema may have any number of properties.
      if (this.properties - names.length <= most) {
        this.fault(`${path}.properties`, `exceeds ${most} properties in total`);
      }
      return {};
    }
    const read = names.map((name): [string, JsonSchema] => {
      const at = `${path}.properties.${name.slice(0, 64).toWellFormed()}`;
      if (!PROPERTY.test(name)) {
        this.fault(at, 'must be a letter, then letters, digits and _, at most 64 in total');
      }
      return [name, this.schema(properties[name], at, depth + 1)];
    });
    return {
      properties: Object.fromEntries(read),
      ...this.required(required, names, path),
      additionalProperties: additionalProperties === true,
    };
  }

  private required(
    given: unknown,
    names: readonly string[],
    path: string,
  ): Pick<JsonSchema, 'required'> {
    if (given === undefined) return {};
    const isList = Array.isArray(given) && given.every((name) => names.includes(name as string));
    if (!isList || new Set(given).size < given.length) {
      this.fault(`${path}.required`, 'must list names of properties, each once');
      return {};
    }
    return given.length > 0 ? { required: given as string[] } : {};
  }

  private fault(path: string, message: string | (() => string)): void {
    this.faults.push({ path, message });
  }
}

const RANGES: Partial<Record<JsonType, readonly [keyof JsonSchema, keyof JsonSchema]>> = {
  string: ['minLength', 'maxLength'],
  array: ['minItems', 'maxItems'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
};
