import 'reflect-metadata';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsDefined,
  IsEmail,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsObject,
  IsOptional,
  IsString,
  IsUrl,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  Validate,
  ValidateIf,
  ValidateNested,
  ValidatorConstraint,
} from 'class-validator';
import { describe, expect, it } from 'vitest';
import { Doc, Nullable } from './doc.decorator.js';
import { classSchema } from './class-schema.js';
import { parseArguments } from './parse-arguments.js';

class Address {
  @IsString()
  @Length(1, 80)
  street: string;

  @IsOptional()
  @Matches(/^[0-9]{5}$/)
  zip?: string;
}

class Everything {
  @Doc('Where mail goes.', { examples: ['ada@example.com'] })
  @IsEmail()
  @MaxLength(254)
  email: string;

  @IsIn(['active', 'archived'])
  status: string = 'active';

  @IsInt()
  @Min(1)
  @Max(100)
  limit: number = 20;

  @IsOptional()
  @IsBoolean()
  flag?: boolean;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(3)
  @ArrayUnique()
  @IsString({ each: true })
  @MaxLength(64, { each: true })
  tags?: string[];

  @IsOptional()
  @Nullable()
  @IsString()
  note?: string | null;

  @IsOptional()
  @IsObject()
  properties?: Record<string, unknown>;

  @ValidateNested()
  @Type(() => Address)
  address: Address;

  @IsOptional()
  @ValidateNested({ each: true })
  @Type(() => Address)
  others?: Address[];
}

const ADDRESS = {
  type: 'object',
  properties: {
    street: { type: 'string', minLength: 1, maxLength: 80 },
    zip: { type: 'string', pattern: '^[0-9]{5}$' },
  },
  required: ['street'],
  additionalProperties: false,
};

@ValidatorConstraint({ name: 'isEven' })
class IsEven {
  validate(given: unknown): boolean {
    return Number(given) % 2 === 0;
  }
}

describe(classSchema, () => {
  it('uses the strictest limit when decorators overlap', () => {
    class Overlapping {
      @IsString()
      @IsNotEmpty()
      @MinLength(5)
      @MaxLength(9)
      @Length(2, 20)
      text: string;
    }
    expect(classSchema(Overlapping).properties.text).toEqual({
      type: 'string',
      minLength: 5,
      maxLength: 9,
    });
  });

  it('restricts URLs to the protocols that @IsUrl accepts', () => {
    class Linked {
      @IsUrl()
      page: string;
    }
    const schema = classSchema(Linked);
    expect(() => parseArguments(Linked, schema, { page: 'https://example.com/a' })).not.toThrow();
    for (const page of ['javascript:alert(1)', 'example.com', 'file:///etc/passwd', 'https://']) {
      expect(() => parseArguments(Linked, schema, { page }), page).toThrow(/^page must/);
    }
  });

  it('expresses every decorator as a keyword', () => {
    expect(classSchema(Everything)).toEqual({
      type: 'object',
      properties: {
        email: {
          type: 'string',
          format: 'email',
          maxLength: 254,
          description: 'Where mail goes.',
          examples: ['ada@example.com'],
        },
        status: { type: 'string', enum: ['active', 'archived'], default: 'active' },
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
        flag: { type: 'boolean' },
        tags: {
          type: 'array',
          maxItems: 3,
          uniqueItems: true,
          items: { type: 'string', maxLength: 64 },
        },
        note: { type: ['string', 'null'] },
        properties: { type: 'object' },
        address: ADDRESS,
        others: { type: 'array', items: ADDRESS },
      },
      required: ['email', 'address'],
      additionalProperties: false,
    });
  });

  it('generates a schema that is valid in draft-07 and in 2020-12', () => {
    const options = { strict: true, allowUnionTypes: true, formats: { email: true as const } };
    expect(() => new Ajv2020(options).compile(classSchema(Everything))).not.toThrow();
    expect(() => new Ajv(options).compile(classSchema(Everything))).not.toThrow();
  });

  it('throws for decorators that JSON Schema cannot express', () => {
    class Conditional {
      @ValidateIf(() => true)
      @IsString()
      field: string;
    }
    class Unknown {
      @IsDefined()
      @IsString()
      field: string;
    }
    class Untyped {
      @Length(1, 2, { each: true })
      @IsArray()
      list: string[];
    }
    class Flags {
      @Matches(/a/i)
      field: string;
    }
    class NoType {
      @ValidateNested()
      field: Address;
    }
    class Loop {
      @ValidateNested()
      @Type(() => Loop)
      field: object;
    }
    class Options {
      @IsUrl({ protocols: ['https'] })
      field: string;
    }
    class Optioned {
      @IsString({ validateIf: () => false })
      field: string;
    }
    class TwoPatterns {
      @Matches(/^a/)
      @Matches(/b$/)
      field: string;
    }
    class OldPattern {
      @Matches(new RegExp('\\_'))
      field: string;
    }
    class Custom {
      @Validate(IsEven)
      field: number;
    }
    const all = [Conditional, Unknown, Untyped, Flags, NoType, Loop];
    for (const schemaClass of [...all, Options, Optioned, TwoPatterns, OldPattern, Custom]) {
      expect(() => classSchema(schemaClass), schemaClass.name).toThrow(
        /JSON Schema cannot express/,
      );
    }
  });
});
