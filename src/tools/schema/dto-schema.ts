import 'reflect-metadata';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { docOf, isNullable } from './doc.decorator.js';
import type { JsonSchema, JsonType, ObjectSchema } from './json-schema.js';

/** A class whose class-validator decorators say what its instances look like. */
export type DtoClass<T extends object = object> = new () => T;

interface Rule {
  type: string;
  name?: string;
  constraints?: unknown[];
  each?: boolean;
}

type Converter = (constraints: unknown[]) => JsonSchema;

const numberOf = (value: unknown): number => Number(value);
const listOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : Object.values(value as object);

const CONVERTERS: Record<string, Converter> = {
  isString: () => ({ type: 'string' }),
  isInt: () => ({ type: 'integer' }),
  isNumber: () => ({ type: 'number' }),
  isBoolean: () => ({ type: 'boolean' }),
  isObject: () => ({ type: 'object' }),
  isArray: () => ({ type: 'array' }),
  isEmail: () => ({ type: 'string', format: 'email' }),
  isUrl: () => ({ type: 'string', format: 'uri' }),
  isUuid: () => ({ type: 'string', format: 'uuid' }),
  isRFC3339: () => ({ type: 'string', format: 'date-time' }),
  isIn: ([values]) => ({ enum: listOf(values) }),
  isEnum: ([values]) => ({ enum: listOf(values) }),
  isNotEmpty: () => ({ minLength: 1 }),
  minLength: ([min]) => ({ minLength: numberOf(min) }),
  maxLength: ([max]) => ({ maxLength: numberOf(max) }),
  isLength: ([min, max]) => ({
    ...(numberOf(min) > 0 && { minLength: numberOf(min) }),
    ...(max !== undefined && { maxLength: numberOf(max) }),
  }),
  min: ([min]) => ({ minimum: numberOf(min) }),
  max: ([max]) => ({ maximum: numberOf(max) }),
  arrayMinSize: ([min]) => ({ minItems: numberOf(min) }),
  arrayMaxSize: ([max]) => ({ maxItems: numberOf(max) }),
  arrayUnique: () => ({ uniqueItems: true }),
  matches: ([pattern]) => {
    const { source, flags } = pattern as RegExp;
    if (flags !== '' && flags !== 'u') throw new Error(`a pattern with the flags "${flags}"`);
    return { type: 'string', pattern: source };
  },
};

/**
 * The JSON Schema that says the same as the decorators of `dto`. Throws when it cannot say all of it, so that a
 * schema never promises less, or more, than the validation does.
 */
export function dtoSchema(dto: DtoClass, ancestors: readonly DtoClass[] = []): ObjectSchema {
  if (ancestors.includes(dto)) throw new SchemaError(dto, '', 'a class that contains itself');
  const rules = rulesByProperty(dto);
  const defaults = new dto() as Record<string, unknown>;
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const [property, list] of rules) {
    const schema = propertySchema(dto, property, list, ancestors);
    if (defaults[property] !== undefined) schema.default = defaults[property];
    properties[property] = schema;
    if (!list.some(isOptionalRule) && schema.default === undefined) required.push(property);
  }
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

class SchemaError extends Error {
  constructor(dto: DtoClass, property: string, what: string) {
    super(
      `${dto.name}.${property}: JSON Schema cannot express ${what}. Use decorators that it can (docs/extending.md ` +
        'lists them), and check the rest in the method.',
    );
  }
}

function rulesByProperty(dto: DtoClass): Map<string, Rule[]> {
  const all = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const rules = new Map<string, Rule[]>();
  for (const rule of all) {
    rules.set(rule.propertyName, [...(rules.get(rule.propertyName) ?? []), rule]);
  }
  return rules;
}

function propertySchema(
  dto: DtoClass,
  property: string,
  rules: Rule[],
  ancestors: readonly DtoClass[],
): JsonSchema {
  const prototype = dto.prototype as object;
  const isArray = Reflect.getMetadata('design:type', prototype, property) === Array;
  let own: JsonSchema = {};
  let items: JsonSchema = {};
  for (const rule of rules) {
    if (rule.type === ValidationTypes.CONDITIONAL_VALIDATION) {
      if (isOptionalRule(rule) || isNullable(prototype, property)) continue;
      throw new SchemaError(dto, property, 'a condition (@ValidateIf)');
    }
    const part = ruleSchema(dto, property, rule, ancestors);
    const forItems = rule.each || (rule.type === ValidationTypes.NESTED_VALIDATION && isArray);
    if (forItems) items = { ...items, ...part };
    else own = { ...own, ...part };
  }
  if (Object.keys(items).length > 0) own = { type: 'array', ...own, items: typed(items) };
  own = typed(own);
  if (own.type === undefined) throw new SchemaError(dto, property, 'a value without a type');
  if (own.type === 'array' && own.items?.type === undefined)
    throw new SchemaError(dto, property, 'an array of anything');
  const nullable = isNullable(prototype, property);
  const doc = docOf(prototype, property);
  return {
    ...own,
    ...(nullable && { type: [own.type as JsonType, 'null'] }),
    ...(nullable && own.enum && { enum: [...own.enum, null] }),
    ...doc,
  };
}

function ruleSchema(
  dto: DtoClass,
  property: string,
  rule: Rule,
  ancestors: readonly DtoClass[],
): JsonSchema {
  if (rule.type === ValidationTypes.NESTED_VALIDATION) {
    const nested = defaultMetadataStorage.findTypeMetadata(dto, property)?.typeFunction?.() as
      DtoClass | undefined;
    if (!nested) throw new SchemaError(dto, property, '@ValidateNested without @Type');
    return dtoSchema(nested, [...ancestors, dto]);
  }
  const name = rule.name ?? rule.type;
  const convert = Object.hasOwn(CONVERTERS, name) ? CONVERTERS[name] : undefined;
  if (!convert) throw new SchemaError(dto, property, `the decorator @${name}`);
  try {
    return convert(rule.constraints ?? []);
  } catch (error) {
    throw new SchemaError(dto, property, (error as Error).message);
  }
}

function isOptionalRule(rule: Rule): boolean {
  return rule.type === ValidationTypes.CONDITIONAL_VALIDATION && rule.name === 'isOptional';
}

/** Fills in the type that an enum leaves to its values. */
function typed(schema: JsonSchema): JsonSchema {
  if (schema.type !== undefined || !schema.enum) return schema;
  const types = new Set(schema.enum.map((value) => typeof value));
  const [only] = types;
  return types.size === 1 && (only === 'string' || only === 'number' || only === 'boolean')
    ? { type: only, ...schema }
    : schema;
}
