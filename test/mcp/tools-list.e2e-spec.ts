import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolDescriptor } from '../../src/tools/registry/registered-tool.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { sample } from '../support/thorough.js';
import { answerOf } from './support/answer.js';
import { ProtocolTools } from './support/protocol.tools.js';

let switchboard: Switchboard;
let acme: TestOrganization;

beforeAll(async () => {
  switchboard = await startSwitchboard({ providers: [ProtocolTools] });
  acme = await createOrganization(switchboard);
});
afterAll(() => switchboard.close());

async function list(version?: string, params?: object) {
  const { body } = await answerOf(
    acme.rpc(
      { jsonrpc: '2.0', id: 1, method: 'tools/list', params },
      version === undefined ? {} : { 'MCP-Protocol-Version': version },
    ),
  );
  return (body as { result: { tools: ToolDescriptor[] } }).result;
}

const ERAS: [string, string | undefined, string[]][] = [
  ['plain JSON-RPC', undefined, ['name', 'description', 'inputSchema']],
  ['2024-11-05', '2024-11-05', ['name', 'description', 'inputSchema']],
  ['2025-03-26', '2025-03-26', ['name', 'description', 'inputSchema', 'annotations']],
  [
    '2025-06-18',
    '2025-06-18',
    ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'],
  ],
  [
    '2025-11-25',
    '2025-11-25',
    ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'],
  ],
];

describe.each(ERAS)('tools/list of %s', (_era, version, members) => {
  it('shows every tool that agents may call, sorted by name, on one page', async () => {
    const result = await list(version);
    expect(Object.keys(result)).toEqual(['tools']);
    const names = result.tools.map((tool) => tool.name);
    expect(names).toEqual([...names].sort());
    expect(names).toEqual(expect.arrayContaining(['crash', 'denied', 'echo_text', 'noop', 'note']));
    expect(names).not.toContain('people_only');
  });

  it('describes a tool with exactly the members of this version of MCP', async () => {
    for (const tool of (await list(version)).tools) expect(Object.keys(tool)).toEqual(members);
  });

  it.each([undefined, {}, { _meta: { progressToken: 1 } }, { cursor: null }])(
    'returns the same list for the parameters %j',
    async (params) => {
      expect(await list(version, params)).toEqual(await list(version));
    },
  );
});

describe('the schemas', () => {
  const compilers = [
    ['2020-12', () => new Ajv2020({ strict: true, allowUnionTypes: true })],
    ['draft-07', () => new Ajv({ strict: true, allowUnionTypes: true })],
  ] as const;

  it.each(sample(compilers, 2))('compile as strict %s', async (_dialect, compiler) => {
    const { tools } = await list('2025-11-25');
    const ajv = compiler();
    addFormats.default(ajv);
    for (const { inputSchema, outputSchema } of tools) {
      for (const schema of [inputSchema, outputSchema].filter((each) => each !== undefined)) {
        expect(ajv.compile(schema)).toBeTypeOf('function');
        expect(schema.type).toBe('object');
        expect(schema).not.toHaveProperty('$schema');
      }
    }
  });

  it('belong to tools whose names and descriptions every client accepts', async () => {
    for (const { name, title, description } of (await list('2025-11-25')).tools) {
      expect(name).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
      expect(title).not.toBe('');
      expect(description).not.toBe('');
    }
  });
});
