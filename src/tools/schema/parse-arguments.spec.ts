import 'reflect-metadata';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Type } from 'class-transformer';
import {
  IsArray,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../errors/app-error.js';
import { parseArguments } from './parse-arguments.js';
import { Nullable } from './doc.decorator.js';
import { dtoSchema } from './dto-schema.js';

class Inner {
  @IsString()
  @Length(1, 5)
  name: string;
}

class Input {
  @IsString()
  @Length(1, 10)
  query: string;

  @IsInt()
  @Min(1)
  @Max(100)
  limit: number = 20;

  @IsOptional()
  @Nullable()
  @IsString()
  note?: string | null;

  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  tags?: string[];

  @IsOptional()
  @ValidateNested()
  @Type(() => Inner)
  inner?: Inner;
}

const SCHEMA = dtoSchema(Input);
const parse = (given: unknown): Input => parseArguments(Input, SCHEMA, given);
const faultsOf = (given: unknown): string[] => {
  try {
    parse(given);
  } catch (error) {
    expect((error as AppError).code).toBe('invalid_arguments');
    return (error as AppError).details!.map((fault) => `${fault.path} ${fault.message}`);
  }
  throw new Error('accepted');
};

describe(parseArguments, () => {
  it.each(['text', 5, true, []])('refuses %j in place of the arguments', (given) => {
    expect(() => parse(given)).toThrow('The arguments must be of type object.');
  });

  it('fills in defaults and drops nulls that mean absent', () => {
    expect(parse({ query: 'a', tags: null })).toEqual({ query: 'a', limit: 20 });
    expect(parse({ query: 'a', note: null }).note).toBeNull();
  });

  it('names every fault with its path', () => {
    expect(faultsOf({ query: '', limit: 0, inner: { name: 'too long' } })).toEqual([
      'query must be longer than or equal to 1 characters',
      'limit must not be less than 1',
      'inner.name must be shorter than or equal to 5 characters',
    ]);
  });

  it('begins with the type, which says most', () => {
    expect(() => parse({ query: 5 })).toThrow('query must be a string (and 1 more).');
  });

  it('does not answer a huge key with a huge text', () => {
    const [fault] = faultsOf({ query: 'a', ['x'.repeat(100_000)]: 1 });
    expect(fault!.length).toBeLessThan(200);
  });

  it('suggests the argument that was meant', () => {
    expect(faultsOf({ qery: 'x', query: 'a' })).toEqual(['qery is not known. Did you mean query?']);
  });

  it.each([
    ['an array', []],
    ['text', 'query'],
    ['a number', 5],
    ['a list for an object', { query: 'a', inner: [{ name: 'x' }] }],
    ['an object for a list', { query: 'a', tags: { 0: 'x' } }],
    ['text for a number', { query: 'a', limit: '5' }],
    ['a number for text', { query: 5 }],
    ['U+0000', { query: 'a\0' }],
    ['a lone surrogate', { query: '\ud800' }],
    ['an own __proto__', JSON.parse('{"query":"a","__proto__":{"limit":1}}')],
    ['an inner __proto__', JSON.parse('{"query":"a","inner":{"name":"x","__proto__":{}}}')],
    ['constructor', { query: 'a', constructor: { prototype: {} } }],
    ['infinity', JSON.parse('{"query":"a","limit":1e400}')],
  ])('refuses %s', (_case, given) => {
    expect(faultsOf(given).length).toBeGreaterThan(0);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('agrees with the JSON Schema on every input', () => {
    const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(SCHEMA);
    const value = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.integer({ min: -2, max: 120 }),
      fc.constant(true),
      fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 3 }),
      fc.record({ name: fc.oneof(fc.string({ maxLength: 7 }), fc.integer()) }),
    );
    const input = fc.record(
      { query: value, limit: value, note: value, tags: value, inner: value, other: value },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(input, (given) => {
        // NUL and lone surrogates are valid JSON text that PostgreSQL cannot hold: stricter on purpose.
        fc.pre(!/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(given)));
        let accepted = true;
        try {
          parse(given);
        } catch {
          accepted = false;
        }
        expect(accepted).toBe(validate(given));
      }),
      { numRuns: 2000 },
    );
  });
});
