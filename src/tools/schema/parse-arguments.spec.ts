import 'reflect-metadata';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Type } from 'class-transformer';
import {
  ArrayUnique,
  IsArray,
  IsEmail,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Max,
  Min,
  ValidateNested,
  validateSync,
} from 'class-validator';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IS_THOROUGH } from '../../../test/support/thorough.js';
import { AppError } from '../../errors/app-error.js';
import { Nullable } from './doc.decorator.js';
import { classSchema } from './class-schema.js';
import { instantiate, parseArguments } from './parse-arguments.js';

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

  @IsOptional()
  @IsArray()
  @ArrayUnique()
  @IsIn(['a', 'b'], { each: true })
  kinds?: string[];

  @IsOptional()
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Inner)
  list?: Inner[];

  @IsOptional()
  @IsEmail()
  email?: string;
}

const SCHEMA = classSchema(Input);
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

  it('uses the defaults of the class, and treats null as absent unless the field allows it', () => {
    expect(parse({ query: 'a', tags: null })).toEqual({ query: 'a', limit: 20 });
    expect(parse({ query: 'a', note: null }).note).toBeNull();
  });

  it('lists every fault with its path', () => {
    expect(faultsOf({ query: '', limit: 0, inner: { name: 'too long' } })).toEqual([
      'query must be at least 1 character',
      'limit must be at least 1',
      'inner.name must be at most 5 characters',
    ]);
  });

  it('puts the first fault and the number of other faults into the message', () => {
    expect(() => parse({ query: 5 })).toThrow('query must be of type string.');
    expect(() => parse({ query: 5, tags: 5, inner: 5 })).toThrow(
      'query must be of type string (and 2 more).',
    );
    expect(() => parse({ query: 'a', qery: 5 })).toThrow(/Did you mean query\?$/);
    expect(() => parse({ query: 'a', other: 5, third: 5 })).toThrow(
      'other is not known (and 1 more).',
    );
  });

  it('lists at most 20 faults', () => {
    expect(faultsOf({ query: 'a', tags: Array.from({ length: 30 }, () => 5) })).toHaveLength(20);
  });

  it('returns instances of the class and of its nested classes', () => {
    const input = parse({ query: 'a', inner: { name: 'x' }, list: [{ name: 'y' }] });
    expect(input).toBeInstanceOf(Input);
    expect(input.inner).toBeInstanceOf(Inner);
    expect(input.list![0]).toBeInstanceOf(Inner);
  });

  it('shortens a huge key in the fault about this key', () => {
    const [fault] = faultsOf({ query: 'a', ['x'.repeat(100_000)]: 1 });
    expect(fault!.length).toBeLessThan(200);
  });

  it('suggests the nearest argument for an unknown argument', () => {
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

  it('accepts exactly what Ajv accepts with the same schema', () => {
    const validate = new Ajv2020({
      strict: true,
      allowUnionTypes: true,
      formats: { email: true as const },
    }).compile(SCHEMA);
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
        // These texts are valid JSON, but PostgreSQL can store neither U+0000 nor lone surrogates.
        fc.pre(!/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(given)));
        let accepted = true;
        try {
          parse(given);
        } catch {
          accepted = false;
        }
        expect(accepted).toBe(validate(given));
      }),
      { numRuns: IS_THOROUGH ? 10_000 : 400 },
    );
  });

  it('accepts exactly what class-validator accepts with the same class', () => {
    const inner = fc.record(
      {
        name: fc.constantFrom<unknown>('', 'abc', 'abcdef', 5, null),
        more: fc.constant(1),
      },
      { requiredKeys: ['name'] },
    );
    // The values have no lists in place of nested objects, because class-validator checks the items of these lists.
    const noList = fc.constantFrom<unknown>('a', 'b', '', 0, 1, 101, 1.5, true, {});
    const value = fc.oneof(noList, fc.constant([]));
    const correct = { query: 'a', limit: 3, tags: ['a'], inner: { name: 'abc' }, list: [] };
    const changes = fc.record(
      {
        query: value,
        limit: value,
        tags: fc.oneof(fc.array(fc.constantFrom<unknown>('a', 'b', 1)), value),
        kinds: fc.oneof(fc.array(fc.constantFrom<unknown>('a', 'b', 'c')), value),
        inner: fc.oneof(inner, noList),
        list: fc.oneof(fc.array(fc.oneof(inner, noList), { maxLength: 2 }), value),
        note: fc.oneof(value, fc.constant(null)),
        email: fc.constantFrom<unknown>('a@example.com', 'a', null, 1),
        more: value,
      },
      { requiredKeys: [] },
    );
    const few = changes.chain((all) => {
      const entries = Object.entries(all);
      return fc.subarray(entries, { maxLength: Math.min(2, entries.length) });
    });
    let accepted = 0;
    const property = fc.property(few, (entries) => {
      const given = { ...correct, ...Object.fromEntries(entries) };
      const errors = validateSync(instantiate(Input, given), {
        whitelist: true,
        forbidNonWhitelisted: true,
      });
      let isAccepted = true;
      try {
        parse(given);
        accepted += 1;
      } catch {
        isAccepted = false;
      }
      expect(isAccepted).toBe(errors.length === 0);
    });
    fc.assert(property, { numRuns: IS_THOROUGH ? 10_000 : 400 });
    expect(accepted).toBeGreaterThan(IS_THOROUGH ? 100 : 20);
  });
});
