import { describe, expect, it } from 'vitest';
import { NOOP_DESCRIPTOR as tool } from '../../../test/mcp/support/noop-descriptor.js';
import { INSTRUCTIONS, SERVER_INFO } from '../server-info.js';
import { DISCOVERY, ModernEncoder } from './modern.encoder.js';

describe(ModernEncoder.name, () => {
  const encoder = new ModernEncoder();
  const complete = {
    resultType: 'complete',
    _meta: { 'io.modelcontextprotocol/serverInfo': SERVER_INFO },
  };
  const cacheable = { ttlMs: 300_000, cacheScope: 'private' };

  it('lists every member of a tool, with the time for which it may be cached', () => {
    const pictured = { ...tool, icons: [{ src: 'https://example.com/x.png' }] };
    const { idempotentHint: _, ...listed } = tool.annotations;
    expect(JSON.parse(encoder.toolList([tool, pictured]))).toEqual({
      tools: [tool, pictured].map((each) => ({ ...each, annotations: listed })),
      ...cacheable,
      ...complete,
    });
  });

  it('encodes a result as text and as structured content', () => {
    expect(JSON.parse(encoder.toolResult('{"a":1}'))).toEqual({
      content: [{ type: 'text', text: '{"a":1}' }],
      structuredContent: { a: 1 },
      ...complete,
    });
  });

  it('encodes a failure without structuredContent', () => {
    expect(JSON.parse(encoder.toolFailure('{}'))).toEqual({
      content: [{ type: 'text', text: '{}' }],
      isError: true,
      ...complete,
    });
  });

  it('adds the cache time of a result if the result has a cache time', () => {
    expect(JSON.parse(encoder.result({ a: 1 }))).toEqual({ a: 1, ...complete });
    expect(JSON.parse(encoder.result({ a: 1 }, 0))).toEqual({
      a: 1,
      ttlMs: 0,
      cacheScope: 'private',
      ...complete,
    });
  });

  it('lists only modern versions in the description of the server', () => {
    expect(JSON.parse(DISCOVERY)).toEqual({
      supportedVersions: ['2026-07-28'],
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true },
        prompts: {},
        completions: {},
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
      instructions: INSTRUCTIONS,
      ...cacheable,
      ...complete,
    });
  });
});
