import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { Doc, Nullable } from './doc.decorator.js';
import type { SchemaClass } from './class-schema.js';

// Each decorator here combines decorators of class-validator, @Doc and @Nullable. The arguments are an optional
// description and optional options.

interface FieldOptions {
  optional?: boolean;
  nullable?: boolean;
}

interface LimitedOptions extends FieldOptions {
  min?: number;
  max?: number;
}

type Given<Options = FieldOptions> = [described?: string | Options, options?: Options];

/** Declares a text. `min` and `max` count characters. */
export const Text = field(({ min, max }: LimitedOptions) => [
  ...limit(MinLength, min),
  ...limit(MaxLength, max),
  IsString(),
]);

/** Declares a time that Switchboard returns. Times from callers are texts, because services parse them. */
export const Timestamp = field(() => [IsString()], 'RFC 3339, UTC.');

export const Integer = field(({ min, max }: LimitedOptions) => [
  ...limit(Min, min),
  ...limit(Max, max),
  IsInt(),
]);

export const Flag = field(() => [IsBoolean()]);

export const JsonObject = field(() => [IsObject()]);

export const TextList = field(() => [IsString({ each: true }), IsArray()]);

/** Declares a list of objects. `max` counts items. */
export const ObjectList = field(({ max }: FieldOptions & { max?: number }) => [
  IsObject({ each: true }),
  ...limit(ArrayMaxSize, max),
  IsArray(),
]);

export function Choice(values: readonly string[], ...given: Given): PropertyDecorator {
  return field(() => [IsIn(values)])(...given);
}

/** Declares an instance of a class with decorated fields. */
export function Nested(type: () => SchemaClass, ...given: Given): PropertyDecorator {
  return field(() => [Type(type), ValidateNested()])(...given);
}

/** Declares a list of instances of a class with decorated fields. */
export function ListOf(type: () => SchemaClass, ...given: Given): PropertyDecorator {
  return field(() => [Type(type), ValidateNested({ each: true }), IsArray()])(...given);
}

function field<Options extends FieldOptions>(
  rulesOf: (options: Options) => PropertyDecorator[],
  defaultDescription?: string,
) {
  return (...[first, second]: Given<Options>): PropertyDecorator => {
    const [description = defaultDescription, options = {} as Options] =
      typeof first === 'string' ? [first, second] : [undefined, first];
    const decorators = [
      ...rulesOf(options),
      ...(options.optional ? [IsOptional()] : []),
      ...(options.nullable ? [Nullable()] : []),
      ...(description === undefined ? [] : [Doc(description)]),
    ];
    return (target, property) => decorators.forEach((decorate) => decorate(target, property));
  };
}

function limit(rule: (limit: number) => PropertyDecorator, value?: number): PropertyDecorator[] {
  return value === undefined ? [] : [rule(value)];
}
