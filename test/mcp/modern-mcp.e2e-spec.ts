import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { errorOf, textOf } from './support/answer.js';
import { MODERN, modernRequest, postModern } from './support/modern.js';
import { tracesOf } from './support/traces.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;

beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

type Headers = Record<string, string | undefined>;
const post = (message: unknown, headers: Headers = {}) => postModern(acme, message, headers);
const call = (name: unknown, given?: object) =>
  modernRequest('tools/call', { name, arguments: given });
const list = modernRequest('tools/list');
const note = (text: string) => call('note', { text });
const versionless: Headers = { 'MCP-Protocol-Version': undefined };
const complete = {
  resultType: 'complete',
  _meta: {
    'io.modelcontextprotocol/serverInfo': {
      name: 'switchboard',
      title: 'Switchboard',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
    },
  },
};
const cacheable = { ttlMs: 300_000, cacheScope: 'private' };
/** Matches an error without an id. */
const errorWithoutId = (code: number) => ({
  jsonrpc: '2.0',
  error: { code, message: expect.any(String) as string },
});

describe('server/discover', () => {
  it('returns the server, its versions and its capabilities', async () => {
    const { status, body } = await post(modernRequest('server/discover'));
    expect(status).toBe(200);
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        supportedVersions: [MODERN],
        capabilities: {
          tools: { listChanged: true },
          resources: { subscribe: true },
          prompts: {},
          completions: {},
          extensions: { 'io.modelcontextprotocol/tasks': {} },
        },
        instructions: expect.stringContaining('Switchboard') as string,
        ...cacheable,
        ...complete,
      },
    });
  });
});

describe('tools/list', () => {
  it('lists every tool with all members, sorted, on one page', async () => {
    const { status, body } = await post(list);
    expect(status).toBe(200);
    const { result } = body as { result: { tools: { name: string }[] } };
    expect(result).toEqual({ tools: expect.any(Array) as [], ...cacheable, ...complete });
    const names = result.tools.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect(result.tools.find(({ name }) => name === 'echo_text')).toEqual({
      name: 'echo_text',
      title: 'Echo',
      description: 'Returns the text.',
      inputSchema: expect.objectContaining({ type: 'object' }) as object,
      outputSchema: expect.objectContaining({ type: 'object' }) as object,
      annotations: {
        readOnlyHint: true,
        destructiveHint: false,
        openWorldHint: false,
      },
    });
  });
});

describe('tools/call', () => {
  it('returns text and structured content', async () => {
    const { status, body } = await post(call('echo_text', { text: 'hi' }));
    expect(status).toBe(200);
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        content: [{ type: 'text', text: '{"text":"hi"}' }],
        structuredContent: { text: 'hi' },
        ...complete,
      },
    });
  });

  it.each<[string, string, object | undefined]>([
    ['invalid_arguments', 'echo_text', undefined],
    ['conflict', 'clash', {}],
    ['forbidden', 'denied', {}],
    ['internal', 'crash', {}],
  ])('returns isError for %s', async (code, name, given) => {
    const { status, body } = await post(call(name, given));
    expect(status).toBe(200);
    const content = expect.any(Array) as [];
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { content, isError: true, ...complete },
    });
    expect(textOf(body)).toMatchObject({ error: { code } });
  });

  it.each<[string, object]>([
    ['an unknown tool', call('unheard_of')],
    ['a tool that only people may call', call('people_only')],
    ['no name', call(undefined)],
    [
      'arguments that are not an object',
      modernRequest('tools/call', { name: 'noop', arguments: [1] }),
    ],
    ['a cursor that the server never returned', modernRequest('tools/list', { cursor: 'x' })],
  ])('returns -32602 with status 200 for %s', async (_case, message) => {
    expect(await post(message)).toMatchObject({ status: 200, body: errorOf(-32602, 1) });
  });

  it('acts for the organization of the key', async () => {
    await post(note('modern'));
    expect(await tracesOf(switchboard, acme)).toContain('modern');
  });
});

describe('an unknown method', () => {
  it.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'prompts/put',
    'tasks/list',
    'tasks/result',
    'foobar',
    '__proto__',
    'constructor',
  ])('is refused with 404: %s', async (method) => {
    const { status, body } = await post(modernRequest(method));
    expect({ status, body }).toEqual({ status: 404, body: errorOf(-32601, 1) });
  });
});

describe('the envelope', () => {
  it.each(['a', '', 0, -7, 2 ** 53 - 1])('can have the id %j', async (id) => {
    const { status, body } = await post(modernRequest('tools/list', {}, id));
    expect(status).toBe(200);
    expect(body).toMatchObject({ id });
  });

  it.each([1.5, null, true, [], {}, 2 ** 53])('cannot have the id %j', async (id) => {
    const message = modernRequest('tools/call', { name: 'note', arguments: { text: 'no id' } }, id);
    const { status, body } = await post(message);
    expect({ status, body }).toEqual({ status: 400, body: errorWithoutId(-32600) });
    expect(await tracesOf(switchboard, acme)).not.toContain('no id');
  });

  it.each<[string, object]>([
    ['another jsonrpc', { ...list, jsonrpc: '1.0' }],
    ['no method', { ...list, method: undefined }],
    ['params that are text', { ...list, params: 'x' }],
  ])('is refused with its id: %s', async (_case, message) => {
    expect(await post(message)).toMatchObject({ status: 400, body: errorOf(-32600, 1) });
  });

  it.each<[string, unknown, number]>([
    ['a posted result', { jsonrpc: '2.0', id: 1, result: {} }, -32600],
    ['a posted error', { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } }, -32600],
    ['a batch', [list], -32600],
    ['an empty batch', [], -32600],
    ['null', 'null', -32600],
    ['text', '"x"', -32600],
    ['no JSON', '{', -32700],
    ['nothing', '', -32700],
  ])('is refused without an id: %s', async (_case, message, code) => {
    const { status, body } = await post(message);
    expect({ status, body }).toEqual({ status: 400, body: errorWithoutId(code) });
  });

  it('has no id in an error that occurs before the body is read', async () => {
    const { status, body } = await post(list, { Authorization: 'Bearer wrong' });
    expect({ status, body }).toEqual({ status: 401, body: errorWithoutId(1401) });
  });
});

it.each<[string, Headers]>([
  ['without a header', versionless],
  ['whatever the header says', { 'MCP-Protocol-Version': '2025-03-26' }],
])('the endpoint refuses a batch with a modern member, %s', async (_case, headers) => {
  const plain = { jsonrpc: '2.0', id: 7, method: 'tools/call' };
  const { status, body } = await post([{ ...plain, params: bare('poisoned') }, list], headers);
  expect({ status, body }).toEqual({ status: 400, body: errorWithoutId(-32600) });
  expect(await tracesOf(switchboard, acme)).not.toContain('poisoned');
});

describe('a notification', () => {
  it.each<[string, object, Headers]>([
    ['of any method', { jsonrpc: '2.0', method: 'foobar' }, {}],
    ['without other headers', { jsonrpc: '2.0', method: 'x' }, { 'Mcp-Method': undefined }],
    ['with the version only in _meta', { ...note('x'), id: undefined }, versionless],
    ['notifications/cancelled', { jsonrpc: '2.0', method: 'notifications/cancelled' }, {}],
  ])('is accepted: %s', async (_case, message, headers) => {
    const { status, text } = await post(message, headers);
    expect({ status, text }).toEqual({ status: 202, text: '' });
  });

  it('does not run the tool that it calls', async () => {
    expect(await post({ ...note('notified'), id: undefined })).toMatchObject({ status: 202 });
    await post(note('after it'));
    const traces = await tracesOf(switchboard, acme);
    expect(traces).toContain('after it');
    expect(traces).not.toContain('notified');
  });
});

it.each(['GET', 'DELETE'])(
  'the endpoint refuses %s, because there are no streams and sessions',
  async (method) => {
    const response = await fetch(`${switchboard.url}/api/mcp`, {
      method,
      headers: { Authorization: `Bearer ${acme.key}`, 'MCP-Protocol-Version': MODERN },
    });
    expect(response.status).toBe(405);
    expect(await response.json()).toEqual(errorWithoutId(1405));
  },
);

/** Returns the parameters of a call without a version in _meta. */
function bare(text: string): object {
  return { name: 'note', arguments: { text } };
}
