import 'reflect-metadata';
import { Type } from 'class-transformer';
import {
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsDefined,
  IsEmail,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Max,
  registerDecorator,
  Validate,
  ValidateIf,
  ValidateNested,
  validateSync,
  ValidatorConstraint,
} from 'class-validator';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instantiate } from './instantiate.js';
import { isSurelyValid } from './surely-valid.js';

class Base {
  @IsOptional()
  @IsEmail()
  email?: string;
}

class Inner extends Base {
  @IsString()
  @Length(1, 3)
  name: string;
}

class Input extends Base {
  @IsDefined()
  @IsIn(['a', 'b', ''])
  kind: string;

  @IsInt()
  @Max(3)
  limit: number = 1;

  @IsOptional()
  @IsArray()
  @ArrayUnique()
  @IsString({ each: true })
  tags?: string[];

  @IsOptional()
  @ValidateNested()
  @Type(() => Inner)
  inner?: Inner;

  @IsOptional()
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Inner)
  list?: Inner[];

  @ValidateIf((input: Input) => input.kind === 'b')
  @IsBoolean()
  sure?: boolean;
}

const faults = (instance: object): number =>
  validateSync(instance, {
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: false,
  }).length;

const inner = fc.record(
  {
    name: fc.constantFrom<unknown>('', 'abc', 'abcd', 5, null, undefined),
    email: fc.constantFrom<unknown>('a@example.com', 'a', null, undefined),
    more: fc.constant(1),
  },
  { requiredKeys: ['name'] },
);
const value = fc.constantFrom<unknown>('a', 'b', '', 0, 1, 4, 1.5, true, null, undefined, {}, []);
const RIGHT = { kind: 'b', limit: 3, tags: ['a'], inner: { name: 'abc' }, list: [], sure: true };
/** What is right in every part but some. */
const arbitrary = fc
  .record(
    {
      kind: fc.constantFrom<unknown>('a', 'b', 'c', undefined),
      limit: value,
      tags: fc.oneof(fc.array(fc.constantFrom<unknown>('a', 'b', 1)), value),
      inner: fc.oneof(inner, value),
      list: fc.oneof(fc.array(fc.oneof(inner, value), { maxLength: 2 }), value),
      sure: value,
      email: value,
      more: value,
    },
    { requiredKeys: [] },
  )
  .chain((changes) => {
    const entries = Object.entries(changes);
    return fc.subarray(entries, { maxLength: Math.min(2, entries.length) });
  })
  .map((changes) => ({ ...RIGHT, ...Object.fromEntries(changes) }));

describe(isSurelyValid, () => {
  it('agrees with class-validator', () => {
    let right = 0;
    const property = fc.property(arbitrary, (given) => {
      const instance = instantiate(Input, given);
      const valid = faults(instance) === 0;
      if (valid) right += 1;
      expect(isSurelyValid(instance)).toBe(valid);
    });
    fc.assert(property, { numRuns: 2000 });
    expect(right).toBeGreaterThan(100);
  });

  it('takes what is right in every part', () => {
    const given = { ...RIGHT, email: 'a@example.com', list: [{ name: 'a', email: null }] };
    expect(isSurelyValid(instantiate(Input, given))).toBe(true);
  });

  it('is not sure of a rule that it cannot keep itself', () => {
    class Conditional {
      @IsString({ validateIf: () => false })
      text: string;
    }
    class Late {
      @Late.isLate()
      text: string;

      static isLate(): PropertyDecorator {
        return (target, name) =>
          registerDecorator({
            name: 'isLate',
            target: target.constructor,
            propertyName: name as string,
            validator: { validate: () => Promise.resolve(false) },
          });
      }
    }
    expect(isSurelyValid(instantiate(Conditional, { text: 'a' }))).toBe(false);
    expect(isSurelyValid(instantiate(Late, { text: 'a' }))).toBe(false);
  });

  it('is not sure of an object whose class is hidden', () => {
    const hidden = Object.assign(instantiate(Inner, { name: 'a' }), { constructor: 'b' });
    expect(isSurelyValid(hidden)).toBe(false);
  });

  it('uses validators that are classes', () => {
    @ValidatorConstraint()
    class IsEven {
      validate(given: unknown): boolean {
        return Number(given) % 2 === 0;
      }
    }
    class Even {
      @Validate(IsEven)
      count: number;
    }
    expect([2, 3].map((count) => isSurelyValid(instantiate(Even, { count })))).toEqual([
      true,
      false,
    ]);
  });
});
