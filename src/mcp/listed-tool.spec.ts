import { describe, expect, it } from 'vitest';
import { listedTool } from './listed-tool.js';

describe('a listed tool', () => {
  it('has no minLength of 1, at any depth', () => {
    const text = { type: 'string', minLength: 1, maxLength: 5 } as const;
    const tool = {
      name: 'noop',
      title: 'Noop',
      description: '',
      annotations: {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
      inputSchema: {
        type: 'object' as const,
        properties: {
          minLength: text,
          code: { type: 'string' as const, minLength: 4 },
          tags: { type: 'array' as const, items: text },
          person: { type: 'object' as const, properties: { name: text } },
        },
        required: ['code'],
        additionalProperties: false,
      },
    };
    const short = { type: 'string', maxLength: 5 };
    expect(listedTool(tool)).toEqual({
      ...tool,
      inputSchema: {
        type: 'object',
        properties: {
          minLength: short,
          code: { type: 'string', minLength: 4 },
          tags: { type: 'array', items: short },
          person: { type: 'object', properties: { name: short } },
        },
        required: ['code'],
        additionalProperties: false,
      },
    });
  });
});
