import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { IS_THOROUGH } from '../../../test/support/thorough.js';
import type { Task } from '../../tools/contract/task-source.js';
import type { ToolDescriptor } from '../../tools/registry/registered-tool.js';
import { type Era, LEGACY_VERSIONS } from '../era.js';
import { INSTRUCTIONS, SERVER_INFO } from '../server-info.js';
import { encoderOf } from './encoder-of.js';
import { EraEncoder, listedOutput } from './era-encoder.js';
import { DISCOVERY, ModernEncoder } from './modern.encoder.js';
import { createdTask, taskStatus } from './task-encoding.js';

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
const ERAS: Era[] = [
  { name: 'plain' },
  ...LEGACY_VERSIONS.map((version): Era => ({ name: 'legacy', version })),
  { name: 'modern' },
];
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

  it('lists idempotentHint only for tools that change something, and where it is not the default', () => {
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

  it('adds the cache time of a result if it has one', () => {
    expect(JSON.parse(encoder.result({ a: 1 }))).toEqual({ a: 1, ...complete });
    expect(JSON.parse(encoder.result({ a: 1 }, 0))).toEqual({
      a: 1,
      ttlMs: 0,
      cacheScope: 'private',
      ...complete,
    });
  });

  it('describes the server with modern versions only', () => {
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

describe(encoderOf.name, () => {
  it.each(ERAS.map((era) => [era]))('adds members to _meta in eras that have it: %j', (era) => {
    const meta = { 'switchboard/deprecated': 'old is now new' };
    const encoder = encoderOf(era);
    const hasMeta = era.name !== 'plain';
    for (const write of ['toolResult', 'toolFailure'] as const) {
      const [bare, noted] = [encoder[write]('{"a":1}'), encoder[write]('{"a":1}', meta)];
      if (!hasMeta) expect(noted).toBe(bare);
      else {
        const { _meta, ...rest } = JSON.parse(bare) as { _meta?: object };
        expect(JSON.parse(noted)).toEqual({ ...rest, _meta: { ..._meta, ...meta } });
      }
    }
  });

  it('returns the same encoder for an era, so that lists can be cached', () => {
    expect(encoderOf({ name: 'plain' })).toBe(encoderOf({ name: 'plain' }));
    expect(encoderOf({ name: 'modern' })).toBe(encoderOf({ name: 'modern' }));
    expect(new Set(ERAS.map((era) => encoderOf(era))).size).toBe(ERAS.length);
  });

  it('encodes every result without a change, as text and as structured content', () => {
    const result = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue());
    const property = fc.property(result, fc.constantFrom(...ERAS), (result, era) => {
      const json = JSON.stringify(result);
      const encoded = JSON.parse(encoderOf(era).toolResult(json)) as {
        content: [{ text: string }];
        structuredContent?: object;
      };
      expect(encoded.content[0].text).toBe(json);
      if (encoded.structuredContent)
        expect(JSON.stringify(encoded.structuredContent)).toBe(JSON.stringify(JSON.parse(json)));
    });
    fc.assert(property, { numRuns: IS_THOROUGH ? 1000 : 25 });
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

const NOW = new Date('2026-11-21T08:00:00.000Z');
const TASK: Task = {
  id: 'job_1',
  createdAt: new Date('2026-11-21T07:59:00.000Z'),
  changedAt: NOW,
  state: { status: 'working' },
};

describe('the encoding of tasks', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: NOW });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ['unknown', undefined, 1000],
    ['past', -5000, 1000],
    ['now', 0, 1000],
    ['soon', 1500, 1500],
    ['in a while', 59_999, 59_999],
    ['far away', 86_400_000, 60_000],
  ])('sets the poll interval from the earliest change: %s', (_case, wait, interval) => {
    const askAgainAt = wait === undefined ? undefined : new Date(NOW.getTime() + wait);
    expect(taskStatus({ ...TASK, askAgainAt })).toEqual({
      taskId: 'job_1',
      status: 'working',
      createdAt: '2026-11-21T07:59:00.000Z',
      lastUpdatedAt: '2026-11-21T08:00:00.000Z',
      ttlMs: null,
      pollIntervalMs: interval,
    });
  });

  it('adds the _meta of the result to a new task', () => {
    expect(JSON.parse(createdTask(TASK, { 'switchboard/deprecated': 'a is now b' }))).toMatchObject(
      {
        resultType: 'task',
        _meta: {
          'switchboard/deprecated': 'a is now b',
          'io.modelcontextprotocol/serverInfo': { name: 'switchboard' },
        },
      },
    );
  });
});

it('uses the version of package.json as the server version', () => {
  const file = new URL('../../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  expect(SERVER_INFO.version).toBe(version);
});
