import { describe, expect, it } from 'vitest';
import { draftOf } from './draft.js';
import { readDraft } from './read-draft.js';
import { readSchema } from './schema.js';

const schema = readSchema({
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1 },
    seats: { type: 'integer' },
    active: { type: 'boolean' },
    plan: { type: 'string', enum: ['free', 'pro'], default: 'free' },
    tags: { type: ['array', 'null'], items: { type: 'string' } },
    address: {
      type: 'object',
      properties: { city: { type: 'string', minLength: 1 }, zip: { type: 'string' } },
      required: ['city'],
    },
    rules: {
      type: 'array',
      items: { type: 'object', properties: { at: { type: 'number' } }, required: ['at'] },
    },
    properties: { type: 'object' },
    filters: { type: 'array', items: { type: 'object' } },
  },
  required: ['name'],
  additionalProperties: false,
});

const EVERYTHING = {
  name: 'Ada',
  seats: 3,
  active: false,
  plan: 'pro',
  tags: ['a', 'b'],
  address: { city: 'Berlin', zip: '10115' },
  rules: [{ at: 1.5 }],
  properties: { plan: 'pro', deep: { a: [1] } },
  filters: [{ field: 'email' }],
};

describe(readDraft, () => {
  it('reads every kind of value unchanged from its draft', () => {
    expect(readDraft(schema, draftOf(schema, EVERYTHING))).toEqual({
      value: EVERYTHING,
      faults: [],
    });
  });

  it('leaves out empty arguments, and reports missing arguments', () => {
    expect(readDraft(schema, draftOf(schema, {}))).toEqual({
      value: {},
      faults: [{ path: 'name', message: 'required' }],
    });
  });

  it('requires the members of an optional group only when one of them is given', () => {
    const read = readDraft(schema, draftOf(schema, { name: 'A', address: { zip: '1' } }));
    expect(read.faults).toEqual([{ path: 'address.city', message: 'required' }]);
  });

  it.each([
    [{ seats: 'x' }, 'seats', 'number'],
    [{ seats: '1.5' }, 'seats', 'integer'],
    [{ rules: [{ at: 1 }, { at: 'x' }] }, 'rules[1].at', 'number'],
  ])('finds the wrong value in %j', (given, path, message) => {
    const read = readDraft(schema, draftOf(schema, { name: 'A', ...given }));
    expect(read.faults).toEqual([{ path, message }]);
  });

  it('keeps an expression in the place of a number', () => {
    const draft = draftOf(schema, { name: 'A', seats: '{{ trigger.seats }}' });
    expect(readDraft(schema, draft, { allowsExpressions: true }).value).toEqual({
      name: 'A',
      seats: '{{ trigger.seats }}',
    });
  });
});

describe(readSchema, () => {
  it('throws for a type that has no form field', () => {
    expect(() => readSchema({ type: 'object', properties: { a: {} } })).toThrow('a has the type');
    expect(() => readSchema({ type: ['string', 'number'] })).toThrow('no form field');
  });
});
