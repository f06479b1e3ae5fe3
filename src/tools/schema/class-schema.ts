import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { docOf, isNullable } from './doc.decorator.js';
import type { JsonSchema, JsonType, ObjectSchema } from './json-schema.js';

/** A class with class-validator decorators. */
export type SchemaClass<T extends object = object> = new () => T;

interface Rule {
  type: string;
  name?: string;
  constraints?: unknown[];
  each?: boolean;
  validateIf?: unknown;
}

type Converter = (constraints: unknown[]) => JsonSchema;

const listOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : Object.values(value as object);

/** Returns a converter for a decorator that JSON Schema can express only without options. */
const withoutOptions =
  (schema: JsonSchema): Converter =>
  ([options = {}]) => {
    if (typeof options !== 'object' || Object.keys(options as object).length > 0) {
      throw new Error('the options of a decorator');
    }
    return schema;
  };

const CONVERTERS: Record<string, Converter> = {
  isString: () => ({ type: 'string' }),
  isInt: () => ({ type: 'integer' }),
  isNumber: withoutOptions({ type: 'number' }),
  isBoolean: () => ({ type: 'boolean' }),
  isObject: () => ({ type: 'object' }),
  isArray: () => ({ type: 'array' }),
  isEmail: withoutOptions({ type: 'string', format: 'email' }),
  isUrl: withoutOptions({ type: 'string', format: 'uri', pattern: '^(?:https?|ftp)://' }),
  isUuid: withoutOptions({ type: 'string', format: 'uuid' }),
  isRFC3339: () => ({ type: 'string', format: 'date-time' }),
  isIn: ([values]) => ({ enum: listOf(values) }),
  isEnum: ([values]) => ({ enum: listOf(values) }),
  isNotEmpty: () => ({ minLength: 1 }),
  minLength: ([min]) => ({ minLength: Number(min) }),
  maxLength: ([max]) => ({ maxLength: Number(max) }),
  isLength: ([min, max]) => ({
    ...(Number(min) > 0 && { minLength: Number(min) }),
    ...(max !== undefined && { maxLength: Number(max) }),
  }),
  min: ([min]) => ({ minimum: Number(min) }),
  max: ([max]) => ({ maximum: Number(max) }),
  arrayMinSize: ([min]) => ({ minItems: Number(min) }),
  arrayMaxSize: ([max]) => ({ maxItems: Number(max) }),
  arrayUnique: () => ({ uniqueItems: true }),
  matches: ([pattern]) => {
    const { source, flags } = pattern as RegExp;
    if (flags !== '' && flags !== 'u') throw new Error(`a pattern with the flags "${flags}"`);
    try {
      return { type: 'string', pattern: new RegExp(source, 'u').source };
    } catch {
      throw new Error('a pattern that is not valid with the flag u');
    }
  },
};

const nestedClasses = new WeakMap<SchemaClass, ReadonlyMap<string, SchemaClass>>();
/**
 * The schemas by class. Decorators do not change after a class is defined, so a schema is generated once for all tools
 * and applications.
 */
const schemas = new WeakMap<SchemaClass, ObjectSchema>();

/** Returns the classes of nested properties of `schemaClass`, whose own schema must have been generated already. */
export function nestedClassesOf(schemaClass: SchemaClass): ReadonlyMap<string, SchemaClass> {
  return nestedClasses.get(schemaClass) ?? new Map();
}

/** Generates the schema that arguments are checked against. Throws for a decorator that JSON Schema cannot express. */
export function classSchema(
  schemaClass: SchemaClass,
  ancestors: readonly SchemaClass[] = [],
): ObjectSchema {
  if (ancestors.includes(schemaClass))
    throw new SchemaError(schemaClass, '', 'a class that contains itself');
  const known = schemas.get(schemaClass);
  if (known) return known;
  const defaults = new schemaClass() as Record<string, unknown>;
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  const nested = new Map<string, SchemaClass>();
  for (const [property, rules] of rulesByProperty(schemaClass)) {
    const inner = nestedClassOf(schemaClass, property, rules);
    if (inner) nested.set(property, inner);
    const schema = propertySchema(
      schemaClass,
      property,
      rules,
      inner && classSchema(inner, [...ancestors, schemaClass]),
    );
    if (defaults[property] !== undefined) schema.default = defaults[property];
    properties[property] = schema;
    if (!rules.some(isOptionalRule) && schema.default === undefined) required.push(property);
  }
  nestedClasses.set(schemaClass, nested);
  const schema: ObjectSchema = {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  schemas.set(schemaClass, schema);
  return schema;
}

class SchemaError extends Error {
  constructor(schemaClass: SchemaClass, property: string, what: string) {
    super(
      `${schemaClass.name}.${property}: JSON Schema cannot express ${what}. Use decorators that it can (docs/extending.md ` +
        'lists them), and check the rest in the method.',
    );
  }
}

function rulesByProperty(schemaClass: SchemaClass): Map<string, Rule[]> {
  const all = getMetadataStorage().getTargetValidationMetadatas(schemaClass, '', false, false);
  const rules = new Map<string, Rule[]>();
  for (const rule of all) {
    rules.set(rule.propertyName, [...(rules.get(rule.propertyName) ?? []), rule]);
  }
  return rules;
}

function nestedClassOf(
  schemaClass: SchemaClass,
  property: string,
  rules: readonly Rule[],
): SchemaClass | undefined {
  if (!rules.some(isNestedRule)) return undefined;
  // class-transformer cannot return the class of @Type, but it can make an instance of this class.
  const probe = plainToInstance(schemaClass, { [property]: {} }) as Record<
    string,
    object | undefined
  >;
  const inner = probe[property]?.constructor;
  if (inner && inner !== Object) return inner as SchemaClass;
  throw new SchemaError(schemaClass, property, '@ValidateNested without @Type');
}

function propertySchema(
  schemaClass: SchemaClass,
  property: string,
  rules: readonly Rule[],
  nested: ObjectSchema | undefined,
): JsonSchema {
  const prototype = schemaClass.prototype as object;
  const isArray = Reflect.getMetadata('design:type', prototype, property) === Array;
  const fail = (what: string): never => {
    throw new SchemaError(schemaClass, property, what);
  };
  let own: JsonSchema = {};
  let items: JsonSchema = {};
  for (const rule of rules) {
    if (isOptionalRule(rule)) continue;
    const isNested = isNestedRule(rule);
    try {
      const part = isNested ? nested! : ruleSchema(rule);
      if (rule.each || (isNested && isArray)) items = merge(items, part);
      else own = merge(own, part);
    } catch (error) {
      fail((error as Error).message);
    }
  }
  if (Object.keys(items).length > 0) own = { type: 'array', ...own, items: typed(items) };
  own = typed(own);
  if (own.type === undefined) fail('a value without a type');
  if (own.type === 'array' && own.items?.type === undefined) fail('an array of anything');
  const nullable = isNullable(prototype, property);
  return {
    ...own,
    ...(nullable && { type: [own.type as JsonType, 'null'] }),
    ...(nullable && own.enum && { enum: [...own.enum, null] }),
    ...docOf(prototype, property),
  };
}

function ruleSchema({ type, name = type, constraints = [], validateIf }: Rule): JsonSchema {
  if (type === ValidationTypes.CONDITIONAL_VALIDATION || validateIf) {
    throw new Error('a condition (@ValidateIf)');
  }
  const convert = Object.hasOwn(CONVERTERS, name) ? CONVERTERS[name] : undefined;
  if (!convert) throw new Error(`the decorator @${name}`);
  return convert(constraints);
}

/**
 * Joins the schemas of two decorators. Throws if both have a value of one keyword and these values cannot be joined.
 */
function merge(a: JsonSchema, b: JsonSchema): JsonSchema {
  const merged: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const other = merged[key];
    if (other === undefined || other === value) merged[key] = value;
    else if (key.startsWith('min')) merged[key] = Math.max(other as number, value as number);
    else if (key.startsWith('max')) merged[key] = Math.min(other as number, value as number);
    else throw new Error(`two decorators that set ${key}`);
  }
  return merged;
}

function isNestedRule(rule: Rule): boolean {
  return rule.type === ValidationTypes.NESTED_VALIDATION;
}

function isOptionalRule(rule: Rule): boolean {
  return rule.type === ValidationTypes.CONDITIONAL_VALIDATION && rule.name === 'isOptional';
}

/** Adds the type of the enum values to a schema that has an enum and no type. */
function typed(schema: JsonSchema): JsonSchema {
  if (schema.type !== undefined || !schema.enum) return schema;
  const types = new Set(schema.enum.map((value) => typeof value));
  const [only] = types;
  return types.size === 1 && (only === 'string' || only === 'number' || only === 'boolean')
    ? { type: only, ...schema }
    : schema;
}
