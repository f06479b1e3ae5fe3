import { describe, expect, it } from 'vitest';
import { listedOutput } from './era-encoder.js';

describe(listedOutput.name, () => {
  const inner = {
    type: 'object',
    properties: { id: { type: 'string' } },
    required: ['id'],
    additionalProperties: false,
  } as const;

  it('keeps the members and leaves out what is inside of objects', () => {
    const schema = {
      type: 'object',
      required: ['contact'],
      properties: {
        contact: { ...inner, description: 'Who.' },
        runs: { type: 'array', items: inner, maxItems: 100 },
        tags: { type: 'array', items: { type: 'string' } },
        next_cursor: { type: ['string', 'null'] },
      },
    } as const;
    const whole = { ...structuredClone(schema), additionalProperties: false };
    expect(listedOutput(whole as never)).toEqual({
      ...schema,
      properties: {
        ...schema.properties,
        contact: { type: 'object', description: 'Who.' },
        runs: { type: 'array', items: { type: 'object' }, maxItems: 100 },
      },
    });
  });

  it('is nothing where the tool promises nothing', () => {
    expect(listedOutput(undefined)).toBeUndefined();
  });
});
