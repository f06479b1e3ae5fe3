import { describe, expect, it } from 'vitest';
import type { JsonSchema } from './json-schema.js';
import { writeNumbers } from './write-numbers.js';

describe(writeNumbers, () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      id: { type: 'string' },
      nullable: { type: ['string', 'null'] },
      either: { type: ['string', 'number'] },
      count: { type: 'integer' },
      tags: { type: 'array', items: { type: 'string' } },
      inner: { type: 'object', properties: { phone: { type: 'string' } } },
      free: { type: 'object' },
    },
  };

  it('replaces numbers by texts where the schema requires a text, at any depth', () => {
    expect(
      writeNumbers(schema, { id: 1e21, nullable: 5, tags: [1, 'b'], inner: { phone: 1.5 } }),
    ).toEqual({
      id: '1000000000000000000000',
      nullable: '5',
      tags: ['1', 'b'],
      inner: { phone: '1.5' },
    });
  });

  it('keeps every other value', () => {
    const given = { id: true, either: 1, count: 2, free: { id: 3 }, unknown: 4, nullable: null };
    expect(writeNumbers(schema, given)).toEqual(given);
  });
});
