import { describe, expect, it } from 'vitest';
import { FaultList } from '../../errors/fault-list.js';
import { parseObjectSchema, type SchemaLimits } from './parse-object-schema.js';

const LIMITS: SchemaLimits = {
  bytes: 2000,
  depth: 4,
  properties: 6,
  formats: ['email', 'date'],
  reserved: ['idempotency_key'],
};

function read(given: object): { schema: object; faults: string[] } {
  const faults = new FaultList();
  const schema = parseObjectSchema(given, 's', LIMITS, faults);
  return { schema, faults: faults.first.map(({ path, message }) => `${path} ${message}`) };
}

const object = <Properties extends object>(properties: Properties, more: object = {}) => ({
  type: 'object',
  properties,
  ...more,
});
const one = (schema: unknown, more: object = {}) => object({ a: schema }, more);
/** Returns a schema with the given depth. */
const nested = (levels: number): object =>
  levels === 1 ? { type: 'string' } : { type: 'array', items: nested(levels - 1) };

describe(parseObjectSchema, () => {
  it('keeps known keywords, and forbids other properties unless the schema allows them', () => {
    const given = object(
      {
        mail: {
          type: 'string',
          format: 'email',
          minLength: 3,
          maxLength: 9,
          description: 'Whose.',
        },
        level: { type: 'integer', minimum: -1, maximum: 1, enum: [-1, 1], title: 'L' },
        lines: {
          type: 'array',
          items: object({ n: { type: 'number' } }),
          minItems: 1,
          maxItems: 2,
        },
        loose: object({ b: { type: 'boolean' } }, { additionalProperties: true }),
      },
      { required: ['mail', 'level'], description: 'All of it.' },
    );
    const { schema, faults } = read(given);
    expect(faults).toEqual([]);
    expect(schema).toEqual({
      ...given,
      additionalProperties: false,
      properties: {
        ...given.properties,
        lines: {
          ...given.properties.lines,
          items: object({ n: { type: 'number' } }, { additionalProperties: false }),
        },
      },
    });
  });

  it('accepts the smallest schema, and inner objects without properties', () => {
    expect(read({ type: 'object' })).toEqual({
      schema: { type: 'object', properties: {}, additionalProperties: false },
      faults: [],
    });
    expect(read(one({ type: 'object' }))).toMatchObject({
      schema: { properties: { a: { type: 'object', additionalProperties: true } } },
      faults: [],
    });
    expect(read(one({ type: 'object' }, { required: [] })).schema).not.toHaveProperty('required');
  });

  it.each<[string, object, string]>([
    ['no type', {}, 's.type must be object'],
    ['another type', { type: 'array' }, 's.type must be object'],
    [
      'an open root',
      object({}, { additionalProperties: true }),
      's.additionalProperties must be false',
    ],
    ['a reference', one({ $ref: '#' }), 's.properties.a.type is required'],
    [
      'a reference beside a type',
      one({ type: 'string', $ref: '#' }),
      's.properties.a.$ref is not known',
    ],
    ['definitions', { type: 'object', $defs: {} }, 's.$defs is not known'],
    ['a dialect', { type: 'object', $schema: 'x' }, 's.$schema is not known'],
    [
      'a pattern',
      one({ type: 'string', pattern: '(a+)+$' }),
      's.properties.a.pattern is not known',
    ],
    ['alternatives', one({ anyOf: [] }), 's.properties.a.type is required'],
    ['a default', one({ type: 'string', default: 'x' }), 's.properties.a.default is not known'],
    [
      'patterns of names',
      { type: 'object', patternProperties: {} },
      's.patternProperties is not known',
    ],
    ['two types', one({ type: ['string', 'null'] }), 's.properties.a.type must be string, number'],
    ['null', one({ type: 'null' }), 's.properties.a.type must be string, number'],
    ['a typo', one({ type: 'string', maxlength: 3 }), 'Did you mean maxLength'],
    [
      'a limit of another type',
      one({ type: 'string', minimum: 3 }),
      's.properties.a.minimum is not known',
    ],
    ['a schema that is not an object', one('string'), 's.properties.a must be a schema'],
    ['a schema that is true', one(true), 's.properties.a must be a schema'],
    [
      'properties that are not an object',
      { type: 'object', properties: [] },
      's.properties must be an object',
    ],
    ['items that are missing', one({ type: 'array' }), 's.properties.a.items is required'],
    ['items in a list', one({ type: 'array', items: [] }), 's.properties.a.items must be a schema'],
    [
      'an unknown format',
      one({ type: 'string', format: 'regex' }),
      's.properties.a.format must be one of email, date',
    ],
    [
      'a format that is not text',
      one({ type: 'string', format: 1 }),
      's.properties.a.format must be one of',
    ],
    [
      'a negative length',
      one({ type: 'string', minLength: -1 }),
      's.properties.a.minLength must be a whole number',
    ],
    [
      'a fractional length',
      one({ type: 'string', maxLength: 1.5 }),
      's.properties.a.maxLength must be a whole number',
    ],
    [
      'a length as text',
      one({ type: 'string', maxLength: '5' }),
      's.properties.a.maxLength must be a whole number',
    ],
    [
      'a limit as text',
      one({ type: 'number', minimum: '5' }),
      's.properties.a.minimum must be a number',
    ],
    [
      'a minimum above the maximum',
      one({ type: 'integer', minimum: 2, maximum: 1 }),
      's.properties.a.maximum must be at least minimum',
    ],
    [
      'a minimum length above the maximum',
      one({ type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 1 }),
      's.properties.a.maxItems must be at least minItems',
    ],
    [
      'no values',
      one({ type: 'string', enum: [] }),
      's.properties.a.enum must be a list of 1 to 50',
    ],
    [
      'too many values',
      one({ type: 'integer', enum: Array.from({ length: 51 }, (_, n) => n) }),
      's.properties.a.enum must be a list of 1 to 50',
    ],
    [
      'values of another type',
      one({ type: 'string', enum: [1] }),
      's.properties.a.enum must have values of type string',
    ],
    [
      'values twice',
      one({ type: 'string', enum: ['x', 'x'] }),
      's.properties.a.enum must not repeat',
    ],
    [
      'an enum of objects',
      one({ type: 'object', enum: [{}] }),
      's.properties.a.enum is not allowed for type object',
    ],
    [
      'hidden values',
      one({ type: 'string', enum: ['a\u202eb'] }),
      's.properties.a.enum must not contain',
    ],
    [
      'a description with hidden characters',
      one({ type: 'string', description: 'a\u{e0041}' }),
      's.properties.a.description must not contain the character U+E0041',
    ],
    [
      'a description that is not text',
      one({ type: 'string', description: 5 }),
      's.properties.a.description must be text',
    ],
    [
      'a long description',
      one({ type: 'string', description: 'x'.repeat(501) }),
      's.properties.a.description must be text',
    ],
    [
      'a required property that does not exist',
      one({ type: 'string' }, { required: ['b'] }),
      's.required must list names of properties',
    ],
    [
      'a required property that is listed twice',
      one({ type: 'string' }, { required: ['a', 'a'] }),
      's.required must list names of properties',
    ],
    [
      'required as text',
      one({ type: 'string' }, { required: 'a' }),
      's.required must list names of properties',
    ],
    [
      'required as true',
      one({ type: 'string', required: true }),
      's.properties.a.required is not known',
    ],
    [
      'required without properties',
      one({ type: 'object', required: [] }),
      's.properties.a.required needs properties',
    ],
    [
      'a schema for additional properties',
      object({}, { additionalProperties: {} }),
      's.additionalProperties must be true or false',
    ],
    ['an invalid name', object({ 'a b': { type: 'string' } }), 's.properties.a b must be a letter'],
    ['an empty name', object({ '': { type: 'string' } }), 's.properties. must be a letter'],
    [
      'a prototype',
      object(JSON.parse('{"__proto__":{"type":"string"}}') as object),
      's.properties.__proto__ must be a letter',
    ],
    [
      'a long name',
      object({ ['a'.repeat(65)]: { type: 'string' } }),
      `s.properties.${'a'.repeat(64)} must be a letter`,
    ],
    [
      'a reserved name',
      object({ idempotency_key: { type: 'string' } }),
      's.properties.idempotency_key is reserved',
    ],
    ['too deep', one(nested(4)), 's.properties.a.items.items.items is nested deeper than 4'],
    ['too large', one({ type: 'string', title: 'é'.repeat(1000) }), 's must be at most 2000 bytes'],
    [
      'too many properties in total',
      object({
        a: object({ b: one({ type: 'string' }), c: one({ type: 'string' }) }),
        d: one({ type: 'string' }),
      }),
      'exceeds 6 properties in total',
    ],
  ])('refuses %s', (_case, given, fault) => {
    expect(read(given).faults.join('\n')).toContain(fault);
  });

  it('reports all faults together', () => {
    const given = object({
      a: { type: 'nul' },
      b: { type: 'string', pattern: 'x', minLength: 'y' },
    });
    expect(read(given).faults).toHaveLength(3);
  });

  it('accepts inherited names such as toString as property names', () => {
    const given = object({ constructor: { type: 'string' }, toString: { type: 'string' } });
    expect(read(given)).toEqual({ schema: { ...given, additionalProperties: false }, faults: [] });
    expect(read(object({ valueOf: { type: 'constructor' } })).faults).toHaveLength(1);
    expect(read(one({ type: 'string' }, { required: ['constructor'] })).faults).toHaveLength(1);
  });
});
