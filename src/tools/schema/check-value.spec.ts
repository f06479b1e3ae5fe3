import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IS_THOROUGH } from '../../../test/support/thorough.js';
import { AppError } from '../../errors/app-error.js';
import { FaultList } from '../../errors/fault-list.js';
import { checkValue } from './check-value.js';
import type { JsonSchema, ObjectSchema } from './json-schema.js';
import { parseBySchema } from './parse-arguments.js';
import { parseObjectSchema } from './parse-object-schema.js';

const SCHEMA: ObjectSchema = {
  type: 'object',
  properties: {
    email: { type: 'string', format: 'email' },
    page: { type: 'string', format: 'uri' },
    ref: { type: 'string', format: 'uuid' },
    day: { type: 'string', format: 'date' },
    at: { type: 'string', format: 'date-time' },
    size: { type: 'string', enum: ['s', 'm'] },
    count: { type: 'integer', minimum: 1, maximum: 3 },
    rate: { type: 'number' },
    gift: { type: 'boolean' },
    word: { type: 'string', minLength: 2, maxLength: 3 },
    lines: {
      type: 'array',
      minItems: 1,
      maxItems: 2,
      items: {
        type: 'object',
        properties: { sku: { type: 'string' }, note: { type: 'string' } },
        required: ['sku'],
        additionalProperties: false,
      },
    },
    extra: { type: 'object', additionalProperties: true },
  },
  required: ['email'],
  additionalProperties: false,
};
const email = 'ada@example.com';

function faultsOf(given: unknown, schema = SCHEMA): string {
  try {
    parseBySchema(schema, given);
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    const { code, details = [] } = error as AppError;
    expect(code).toBe('invalid_arguments');
    return details.map(({ path, message }) => `${path} ${message}`).join('\n');
  }
}

describe(checkValue, () => {
  it('returns a copy without the nulls of optional properties', () => {
    const whole = {
      email,
      page: 'https://example.com/x',
      ref: '0b6f7a9e-8f3c-4f6e-9a43-0d8b8a9f4a11',
      day: '2024-02-29',
      at: '2026-11-21T08:00:00Z',
      size: 'm',
      count: 3,
      rate: -0.5,
      gift: false,
      word: '👍👍',
      lines: [{ sku: 'A' }],
      extra: { constructor: { deep: [1, null] } },
    };
    expect(parseBySchema(SCHEMA, whole)).toEqual(whole);
    expect(parseBySchema(SCHEMA, { email, size: null, lines: [{ sku: 'A', note: null }] })).toEqual(
      {
        email,
        lines: [{ sku: 'A' }],
      },
    );
  });

  it('treats a member that is undefined as absent', () => {
    expect(parseBySchema(SCHEMA, { email, size: undefined })).toEqual({ email });
    expect(faultsOf({ email: undefined })).toBe('email is required');
  });

  it('compares the items of a list with uniqueItems by their JSON', () => {
    const schema: JsonSchema = { type: 'array', uniqueItems: true };
    const faults = new FaultList();
    checkValue(schema, ['1', 1, { a: 1, b: 2 }], 'list', faults);
    expect(faults.first).toEqual([]);
    checkValue(
      schema,
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      'list',
      faults,
    );
    expect(faults.first).toEqual([{ path: 'list', message: 'must not repeat an item' }]);
  });

  it('adds a fault for a list of scalars with a wrong item, and a fault for the item', () => {
    const faults = new FaultList();
    checkValue({ type: 'array', items: { type: 'string' } }, ['a', 1], 'tags', faults);
    expect(faults.first.map(({ path }) => path)).toEqual(['tags[1]', 'tags']);
  });

  it('skips values that are not known yet', () => {
    const faults = new FaultList();
    checkValue(SCHEMA, { email: '?', count: '?' }, '', faults, (value) => value === '?');
    expect(faults.first).toEqual([]);
  });

  it.each<[unknown, string]>([
    [{}, 'email is required'],
    [{ email: null }, 'email must be of type string'],
    [[], ' must be of type object'],
    ['x', ' must be of type object'],
    [{ email: 'x' }, 'email must be an email'],
    [{ email: 5 }, 'email must be of type string'],
    [{ email: [email] }, 'email must be of type string'],
    [{ email, page: 'x' }, 'page must be a URL'],
    [{ email, ref: 'x' }, 'ref must be a UUID'],
    [{ email, day: '2025-02-29' }, 'day must be a date'],
    [{ email, day: '2025-02-01T00:00:00Z' }, 'day must be a date'],
    [{ email, at: '2025-02-01' }, 'at must be an RFC 3339 time'],
    [{ email, size: 'l' }, 'size must be one of s, m'],
    [{ email, count: 0 }, 'count must be at least 1'],
    [{ email, count: 4 }, 'count must be at most 3'],
    [{ email, count: 1.5 }, 'count must be of type integer'],
    [{ email, count: '1' }, 'count must be of type integer'],
    [{ email, rate: Number.POSITIVE_INFINITY }, 'rate is a number out of range'],
    [{ email, gift: 'true' }, 'gift must be of type boolean'],
    [{ email, word: 'x' }, 'word must be at least 2 characters'],
    [{ email, word: '👍👍👍👍' }, 'word must be at most 3 characters'],
    [{ email, word: 'a\0' }, 'word must not contain the character U+0000'],
    [{ email, word: '\ud800a' }, 'word must be well-formed Unicode'],
    [{ email, lines: [] }, 'lines must have at least 1 item'],
    [
      { email, lines: [{ sku: 'A' }, { sku: 'B' }, { sku: 'C' }] },
      'lines must have at most 2 items',
    ],
    [{ email, lines: { 0: { sku: 'A' } } }, 'lines must be of type array'],
    [{ email, lines: [{}] }, 'lines[0].sku is required'],
    [{ email, lines: [{ sku: 'A', skew: 1 }] }, 'lines[0].skew is not known. Did you mean sku?'],
    [{ email, lines: ['A'] }, 'lines[0] must be of type object'],
    [{ email, emial: 'x' }, 'emial is not known. Did you mean email?'],
    [JSON.parse(`{"email":"${email}","__proto__":{}}`), ' must not have the property __proto__'],
    [
      { email, extra: { 'a\0': 1 } },
      'extra has a property name with a character that cannot be stored',
    ],
  ])('refuses %j', (given, fault) => expect(faultsOf(given)).toContain(fault));

  it('accepts exactly what Ajv accepts, for any schema and any value', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true });
    const name = fc.constantFrom('a', 'b', 'constructor');
    const scalar = fc.oneof(
      fc.constantFrom('', 'x', 'yy', '👍'),
      fc.integer({ min: -2, max: 2 }),
      fc.constantFrom(0.5, true, false),
    );
    const limits = (min: string, max: string) =>
      fc.record(
        { [min]: fc.integer({ min: 0, max: 1 }), [max]: fc.integer({ min: 1, max: 2 }) },
        { requiredKeys: [] },
      );
    const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        limits('minLength', 'maxLength').map((more) => ({ type: 'string', ...more }) as const),
        limits('minimum', 'maximum').map((more) => ({ type: 'number', ...more }) as const),
        limits('minimum', 'maximum').map((more) => ({ type: 'integer', ...more }) as const),
        fc.constant({ type: 'boolean' } as const),
        fc
          .constant({ type: 'string', enum: ['x', 'yy'] } as const)
          .map((each) => ({ ...each, enum: [...each.enum] })),
        fc
          .tuple(limits('minItems', 'maxItems'), tie('schema'))
          .map(([more, items]) => ({ type: 'array', items, ...more }) as const),
        fc
          .record({
            properties: fc.dictionary(name, tie('schema'), { maxKeys: 3 }),
            needs: fc.boolean(),
            additionalProperties: fc.boolean(),
          })
          .map(({ properties, needs, additionalProperties }) => ({
            type: 'object' as const,
            properties,
            ...(needs && { required: Object.keys(properties) }),
            additionalProperties,
          })),
      ),
    }));
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        scalar,
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(name, tie('any'), { maxKeys: 3 }),
      ),
    })).any;
    const root = fc.dictionary(name, schema, { maxKeys: 3 });
    let accepted = 0;
    fc.assert(
      fc.property(root, fc.array(fc.dictionary(name, value, { maxKeys: 3 })), (properties, all) => {
        const faults = new FaultList();
        const limitless = { bytes: 1e6, depth: 9, properties: 1e3, formats: [], reserved: [] };
        const read = parseObjectSchema({ type: 'object', properties }, 's', limitless, faults);
        expect(faults.first).toEqual([]);
        const validate = ajv.compile(read);
        for (const given of all) {
          const isValid = validate(given);
          if (isValid) accepted += 1;
          expect(faultsOf(given, read) === '').toBe(isValid);
        }
      }),
      { numRuns: IS_THOROUGH ? 2000 : 100 },
    );
    expect(accepted).toBeGreaterThan(IS_THOROUGH ? 200 : 20);
  });
});
