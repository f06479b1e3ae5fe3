import { describe, expect, it } from 'vitest';
import { NOOP_DESCRIPTOR as tool } from '../../../test/mcp/support/noop-descriptor.js';
import type { ToolDescriptor } from '../../tools/registry/registered-tool.js';
import { EraEncoder, listedOutput } from './era-encoder.js';

const keysOfTool = (list: string): string[] =>
  Object.keys((JSON.parse(list) as { tools: [object] }).tools[0]);

describe(`${EraEncoder.name} of plain JSON-RPC`, () => {
  const encoder = new EraEncoder();

  it('lists only name, description and inputSchema', () => {
    const { name, description, inputSchema } = tool;
    expect(encoder.toolList([tool])).toBe(
      JSON.stringify({ tools: [{ name, description, inputSchema }] }),
    );
  });

  it('encodes a result as one text block', () => {
    expect(encoder.toolResult('{"a":1}')).toBe(
      '{"content":[{"type":"text","text":"{\\"a\\":1}"}]}',
    );
  });

  it('adds isError to a failure', () => {
    expect(JSON.parse(encoder.toolFailure('{}'))).toEqual({
      content: [{ type: 'text', text: '{}' }],
      isError: true,
    });
  });
});

describe(`${EraEncoder.name} of a revision`, () => {
  it.each([
    ['2024-11-05', ['name', 'description', 'inputSchema']],
    ['2025-03-26', ['name', 'description', 'inputSchema', 'annotations']],
    ['2025-06-18', ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations']],
    ['2025-11-25', ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations']],
  ] as const)('lists only the members of the revision %s', (version, keys) => {
    expect(keysOfTool(new EraEncoder(version).toolList([tool]))).toEqual(keys);
    const icons = version === '2025-11-25' ? ['icons'] : [];
    const pictured = { ...tool, icons: [{ src: 'https://example.com/x.png' }] };
    expect(keysOfTool(new EraEncoder(version).toolList([pictured]))).toEqual([...keys, ...icons]);
  });

  it('lists idempotentHint only when it is not the default and the tool changes something', () => {
    const hints = (annotations: Partial<ToolDescriptor['annotations']>): unknown => {
      const listed = { ...tool, annotations: { ...tool.annotations, ...annotations } };
      const { tools } = JSON.parse(new EraEncoder('2025-11-25').toolList([listed])) as {
        tools: [{ annotations: object }];
      };
      return tools[0].annotations;
    };
    const reading = { readOnlyHint: true, destructiveHint: false, openWorldHint: false };
    const changing = { ...reading, readOnlyHint: false };
    expect(hints({})).toEqual(reading);
    expect(hints({ readOnlyHint: false, idempotentHint: false })).toEqual(changing);
    expect(hints({ readOnlyHint: false })).toEqual({ ...changing, idempotentHint: true });
  });

  it.each([
    ['2024-11-05', ['content']],
    ['2025-03-26', ['content']],
    ['2025-06-18', ['content', 'structuredContent']],
    ['2025-11-25', ['content', 'structuredContent']],
  ] as const)('writes only the members that a result has in %s', (version, keys) => {
    const result = JSON.parse(new EraEncoder(version).toolResult('{"a":1}')) as object;
    expect(Object.keys(result)).toEqual(keys);
  });

  it.each([
    ['2024-11-05', ['uri', 'name']],
    ['2025-03-26', ['uri', 'name']],
    ['2025-06-18', ['uri', 'name', 'title']],
    ['2025-11-25', ['uri', 'name', 'title', 'icons']],
  ] as const)('keeps only the members that an entry has in %s', (version, keys) => {
    const icons = [{ src: 'https://example.com/x.png' }];
    const entry = { uri: 'a://b', name: 'b', title: 'B', icons };
    const encoder = new EraEncoder(version);
    const { all } = JSON.parse(encoder.result({ all: [encoder.entry(entry)] })) as {
      all: [object];
    };
    expect(Object.keys(all[0])).toEqual(keys);
  });

  it('encodes a failure without structuredContent', () => {
    const failure = JSON.parse(new EraEncoder('2025-11-25').toolFailure('{}')) as object;
    expect(failure).toEqual({ content: [{ type: 'text', text: '{}' }], isError: true });
  });
});

describe(listedOutput.name, () => {
  const inner = {
    type: 'object',
    properties: { id: { type: 'string' } },
    required: ['id'],
    additionalProperties: false,
  } as const;

  it('keeps the members and removes the properties of inner objects', () => {
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

  it('returns undefined for a tool without an output schema', () => {
    expect(listedOutput(undefined)).toBeUndefined();
  });
});
