import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { answerOf, errorOf, textOf } from './support/answer.js';
import { tracesOf } from './support/traces.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;

beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const MODERN = '2026-07-28';

const post = (body: unknown, version?: string, headers: Record<string, string> = {}) =>
  answerOf(
    acme.rpc(body, {
      ...(version !== undefined && { 'MCP-Protocol-Version': version }),
      ...headers,
    }),
  );
const request = (method: string, params?: object) => ({ jsonrpc: '2.0', id: 1, method, params });
const initialize = (protocolVersion: unknown) =>
  request('initialize', {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });
const unsupported = (requested: string, id: number | null = 1) => ({
  jsonrpc: '2.0',
  id,
  error: {
    code: -32022,
    message: expect.any(String) as string,
    data: { supported: [MODERN, ...VERSIONS], requested },
  },
});

describe('initialize', () => {
  it.each<[unknown, string]>([
    ...VERSIONS.map((version): [string, string] => [version, version]),
    [MODERN, '2025-11-25'],
    ['1999-01-01', '2025-11-25'],
    [undefined, '2025-11-25'],
    [5, '2025-11-25'],
  ])('for %j, negotiates the version %s', async (requested, agreed) => {
    const { status, body } = await post(initialize(requested));
    expect(status).toBe(200);
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        protocolVersion: agreed,
        capabilities: {
          tools: {},
          resources: {},
          prompts: {},
          ...(agreed !== '2024-11-05' && { completions: {} }),
        },
        serverInfo: {
          name: 'switchboard',
          title: 'Switchboard',
          version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
        },
        instructions: expect.stringContaining('Switchboard') as string,
      },
    });
  });

  it.each(['2025-06-18', '1999-01-01', 'nonsense'])(
    'ignores the version header %s',
    async (version) => {
      expect(await post(initialize('2025-03-26'), version)).toMatchObject({
        status: 200,
        body: { result: { protocolVersion: '2025-03-26' } },
      });
    },
  );
});

describe.each(VERSIONS)('MCP-Protocol-Version %s', (version) => {
  it('is accepted with white space around it', async () => {
    expect(await post(request('tools/list'), ` ${version}\t`)).toMatchObject({ status: 200 });
  });

  it('answers ping with an empty result', async () => {
    const { body } = await post(request('ping'), version);
    expect(body).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });

  it.each(['notifications/initialized', 'notifications/cancelled', 'notifications/unheard_of'])(
    'accepts the notification %s',
    async (method) => {
      const { status, text } = await post({ jsonrpc: '2.0', method }, version);
      expect({ status, text }).toEqual({ status: 202, text: '' });
    },
  );

  it('accepts and drops a posted response', async () => {
    const { status, text } = await post({ jsonrpc: '2.0', id: 1, result: {} }, version);
    expect({ status, text }).toEqual({ status: 202, text: '' });
  });

  it('returns JSON-RPC errors with status 200, so that clients see their code', async () => {
    const unknown = await post(request('resources/unheard_of'), version);
    expect(unknown).toMatchObject({ status: 200, body: errorOf(-32601, 1) });
    const badCall = await post(request('tools/call', { name: 'unheard_of' }), version);
    expect(badCall).toMatchObject({ status: 200, body: errorOf(-32602, 1) });
  });

  it('accepts a batch', async () => {
    const { status, body } = await post([request('ping'), request('tools/list')], version);
    expect(status).toBe(200);
    expect(body).toHaveLength(2);
  });

  it('runs a tool without progress for a caller that accepts no events', async () => {
    const params = {
      name: 'echo_text',
      arguments: { text: 'x' },
      _meta: { progressToken: 'p' },
    };
    const answer = await post(request('tools/call', params), version, {
      Accept: 'application/json, text/event-stream',
    });
    expect(textOf(answer.body)).toEqual({ text: 'x' });
  });
});

it.each<[string, Record<string, string>]>([
  ['a session id', { 'Mcp-Session-Id': 'made-up' }],
  ['a last event id', { 'Last-Event-ID': '7' }],
  ['headers of a later version', { 'Mcp-Method': 'tools/call', 'Mcp-Name': 'x' }],
  ['no Accept that fits', { Accept: 'text/html' }],
])('the endpoint accepts a legacy request with %s', async (_case, headers) => {
  expect(await post(request('ping'), '2025-06-18', headers)).toMatchObject({ status: 200 });
});

describe('an unsupported version', () => {
  it.each(['1999-01-01', '2025-06-19', 'latest', '2025-06-18, 2025-06-18'])(
    'is refused: %s',
    async (version) => {
      const { status, body } = await post(request('tools/list'), version);
      expect({ status, body }).toEqual({ status: 400, body: unsupported(version) });
    },
  );

  it('is refused for a batch, with one error', async () => {
    const { status, body } = await post([request('ping')], '1999-01-01');
    expect({ status, body }).toEqual({ status: 400, body: unsupported('1999-01-01', null) });
  });

  it('is refused for a notification, and its tool does not run', async () => {
    const params = { name: 'note', arguments: { text: 'old' } };
    const answer = await post({ jsonrpc: '2.0', method: 'tools/call', params }, '1999-01-01');
    expect(answer).toMatchObject({ status: 400, body: unsupported('1999-01-01', null) });
    expect(await tracesOf(switchboard, acme)).not.toContain('old');
  });
});
