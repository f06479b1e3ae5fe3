import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolDescriptor } from '../../tools/registered-tool.js';
import { LEGACY_VERSIONS } from '../era.js';
import { encoderOf } from './encoder-of.js';
import { LegacyEncoder } from './legacy.encoder.js';
import { PlainEncoder } from './plain.encoder.js';

const tool: ToolDescriptor = {
  name: 'noop',
  title: 'Do nothing',
  description: 'Does nothing.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  outputSchema: { type: 'object', properties: {} },
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
};
const keysOfTool = (list: string): string[] =>
  Object.keys((JSON.parse(list) as { tools: [object] }).tools[0]);

describe(PlainEncoder.name, () => {
  const encoder = new PlainEncoder();

  it('lists name, description and inputSchema, and nothing else', () => {
    const { name, description, inputSchema } = tool;
    expect(encoder.toolList([tool])).toBe(
      JSON.stringify({ tools: [{ name, description, inputSchema }] }),
    );
  });

  it('writes a result as one text block', () => {
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

describe(LegacyEncoder.name, () => {
  it.each([
    ['2024-11-05', ['name', 'description', 'inputSchema']],
    ['2025-03-26', ['name', 'description', 'inputSchema', 'annotations']],
    ['2025-06-18', ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations']],
    ['2025-11-25', ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations']],
  ] as const)('lists for %s what that revision knows', (version, keys) => {
    expect(keysOfTool(new LegacyEncoder(version).toolList([tool]))).toEqual(keys);
  });

  it.each([
    ['2024-11-05', ['content']],
    ['2025-03-26', ['content']],
    ['2025-06-18', ['content', 'structuredContent']],
    ['2025-11-25', ['content', 'structuredContent']],
  ] as const)('writes for %s the members of a result that it knows', (version, keys) => {
    const result = JSON.parse(new LegacyEncoder(version).toolResult('{"a":1}')) as object;
    expect(Object.keys(result)).toEqual(keys);
  });

  it('gives a failure no structuredContent', () => {
    const failure = JSON.parse(new LegacyEncoder('2025-11-25').toolFailure('{}')) as object;
    expect(failure).toEqual({ content: [{ type: 'text', text: '{}' }], isError: true });
  });
});

describe(encoderOf.name, () => {
  it('hands out one encoder per era, so that a list made with it can be kept', () => {
    expect(encoderOf({ name: 'plain' })).toBe(encoderOf({ name: 'plain' }));
    const legacy = LEGACY_VERSIONS.map((version) => encoderOf({ name: 'legacy', version }));
    expect(new Set(legacy).size).toBe(LEGACY_VERSIONS.length);
  });

  it('carries every result unchanged, as text and as structured content', () => {
    const versions = [undefined, ...LEGACY_VERSIONS];
    const result = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue());
    const property = fc.property(result, fc.constantFrom(...versions), (result, version) => {
      const json = JSON.stringify(result);
      const encoder = encoderOf(version ? { name: 'legacy', version } : { name: 'plain' });
      const encoded = JSON.parse(encoder.toolResult(json)) as {
        content: [{ text: string }];
        structuredContent?: object;
      };
      expect(encoded.content[0].text).toBe(json);
      if (encoded.structuredContent)
        expect(JSON.stringify(encoded.structuredContent)).toBe(JSON.stringify(JSON.parse(json)));
    });
    fc.assert(property);
  });
});
