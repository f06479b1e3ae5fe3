import { request } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { answerOf, errorOf, textOf } from './support/answer.js';
import { ProtocolTools } from './support/protocol.tools.js';
import { tracesOf } from './support/traces.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
const post = (body: unknown) => answerOf(acme.rpc(body));

beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const noop = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'noop' } };

describe('a request', () => {
  it('gets a response with the members of the specification, in the order of the specification', async () => {
    const { status, text } = await post(noop);
    expect(status).toBe(200);
    expect(text).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{}"}]}}',
    );
  });

  it.each([1.5, -1, 0, '', '1', 'ünï\u{1f600}\n"', 9007199254740991, -9007199254740991, 0.1])(
    'gets a response with exactly its id %j',
    async (id) => {
      const { status, body } = await post({ ...noop, id });
      expect(status).toBe(200);
      expect(body).toEqual({ jsonrpc: '2.0', id, result: expect.any(Object) as object });
    },
  );

  it('keeps an id that is half a surrogate pair', async () => {
    const { text } = await post('{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}');
    expect(text).toBe('{"jsonrpc":"2.0","id":"\\ud800","result":{}}');
  });

  it('is accepted with members that JSON-RPC does not define', async () => {
    expect(await post({ ...noop, extra: { deep: [1] } })).toMatchObject({ status: 200 });
  });

  it('uses the last of duplicate keys, as JSON.parse does', async () => {
    const { body } = await post('{"jsonrpc":"2.0","id":1,"id":2,"method":"nope","method":"ping"}');
    expect(body).toEqual({ jsonrpc: '2.0', id: 2, result: {} });
  });

  it('finishes after its caller disconnects', async () => {
    const tools = switchboard.app.get(ProtocolTools);
    const outgoing = request(`${switchboard.url}/api/mcp`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${acme.key}`, 'Content-Type': 'application/json' },
    });
    const closed = new Promise((resolve) =>
      outgoing.on('error', () => undefined).on('close', resolve),
    );
    const params = { name: 'slow_note', arguments: { text: 'left alone' } };
    outgoing.end(JSON.stringify({ ...noop, params }));
    await waitFor(() => tools.isWaiting('left alone'));
    outgoing.destroy();
    await closed;
    // The process has answered a later request, so it has seen the end of the first request.
    await post(noop);
    tools.release('left alone');
    await waitFor(async () => (await tracesOf(switchboard, acme)).includes('left alone'));
  });
});

describe('an error within a well-formed request', () => {
  it.each<[string, unknown, number, string | number]>([
    ['positional parameters', { ...list, params: [42, 23] }, -32602, 1],
    ['an empty list of parameters', { ...list, params: [] }, -32602, 1],
    ['a method that does not exist', { jsonrpc: '2.0', method: 'foobar', id: '1' }, -32601, '1'],
    ['an empty method', { ...list, method: '' }, -32601, 1],
    ['a reserved method', { ...list, method: 'rpc.discover' }, -32601, 1],
    ['the method __proto__', { ...list, method: '__proto__' }, -32601, 1],
    ['the method constructor', { ...list, method: 'constructor' }, -32601, 1],
    ['the method toString', { ...list, method: 'toString' }, -32601, 1],
    ['a method in another case', { ...list, method: 'Tools/List' }, -32601, 1],
    ['a cursor', { ...list, params: { cursor: 'x' } }, -32602, 1],
    ['a call without a name', { ...noop, params: {} }, -32602, 1],
    ['a call without parameters', { ...noop, params: undefined }, -32602, 1],
    ['a name that is not a string', { ...noop, params: { name: 5 } }, -32602, 1],
    ['an array of arguments', { ...noop, params: { name: 'noop', arguments: [] } }, -32602, 1],
    ['arguments that are text', { ...noop, params: { name: 'noop', arguments: '{}' } }, -32602, 1],
    ['null as arguments', { ...noop, params: { name: 'noop', arguments: null } }, -32602, 1],
    ['an unknown tool', { ...noop, params: { name: 'unheard_of' } }, -32602, 1],
    ['the tool __proto__', { ...noop, params: { name: '__proto__' } }, -32602, 1],
    ['the tool constructor', { ...noop, params: { name: 'constructor' } }, -32602, 1],
  ])('returns 200 for %s', async (_case, body, code, id) => {
    expect(await post(body)).toMatchObject({ status: 200, body: errorOf(code, id) });
  });
});

describe('a message that is not a request', () => {
  it.each<[string, string, number, string | number | null]>([
    [
      'JSON that breaks off',
      '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]',
      -32700,
      null,
    ],
    [
      'a batch that breaks off',
      '[{"jsonrpc":"2.0","method":"sum","params":[1,2,4],"id":"1"},{"jsonrpc":"2.0","method"',
      -32700,
      null,
    ],
    ['an empty body', '', -32700, null],
    ['only white space', ' \n', -32700, null],
    ['NaN', 'NaN', -32700, null],
    ['a number', '5', -32600, null],
    ['text', '"x"', -32600, null],
    ['null', 'null', -32600, null],
    ['an empty batch', '[]', -32600, null],
    ['an empty object', '{}', -32600, null],
    ['a method that is not a string', '{"jsonrpc":"2.0","method":1,"params":"bar"}', -32600, null],
    ['the id null', '{"jsonrpc":"2.0","method":"tools/list","id":null}', -32600, null],
    ['the id true', '{"jsonrpc":"2.0","method":"tools/list","id":true}', -32600, null],
    ['the id {}', '{"jsonrpc":"2.0","method":"tools/list","id":{}}', -32600, null],
    ['the id []', '{"jsonrpc":"2.0","method":"tools/list","id":[]}', -32600, null],
    ['the id 1e400', '{"jsonrpc":"2.0","method":"tools/list","id":1e400}', -32600, null],
    [
      'an id beyond 2^53',
      '{"jsonrpc":"2.0","method":"tools/list","id":9007199254740993}',
      -32600,
      null,
    ],
    ['no jsonrpc', '{"method":"tools/list","id":1}', -32600, 1],
    ['jsonrpc "1.0"', '{"jsonrpc":"1.0","method":"tools/list","id":1}', -32600, 1],
    ['jsonrpc 2.0', '{"jsonrpc":2.0,"method":"tools/list","id":1}', -32600, 1],
    ['no method', '{"jsonrpc":"2.0","id":1}', -32600, 1],
    [
      'the parameters null',
      '{"jsonrpc":"2.0","method":"tools/list","id":1,"params":null}',
      -32600,
      1,
    ],
    [
      'parameters that are text',
      '{"jsonrpc":"2.0","method":"tools/list","id":1,"params":"x"}',
      -32600,
      1,
    ],
    [
      'parameters that are a number',
      '{"jsonrpc":"2.0","method":"tools/list","id":1,"params":0}',
      -32600,
      1,
    ],
    ['a notification of another version', '{"jsonrpc":"1.0","method":"tools/list"}', -32600, null],
    ['a response of another version', '{"id":1,"result":{}}', -32600, 1],
  ])('returns 400 for %s', async (_case, body, code, id) => {
    expect(await post(body)).toMatchObject({ status: 400, body: errorOf(code, id) });
  });

  it.each([
    ['an overlong byte sequence', [0x22, 0xc0, 0xaf, 0x22]],
    ['a lone continuation byte', [0x22, 0x80, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('returns 400 for %s', async (_case, bytes) => {
    const { status, body } = await post(new Uint8Array(bytes));
    expect({ status, body }).toEqual({ status: 400, body: errorOf(-32700, null) });
  });

  it('does not run a request whose id cannot be echoed', async () => {
    const params = { name: 'note', arguments: { text: 'id null' } };
    expect(await post({ ...noop, id: null, params })).toMatchObject({ status: 400 });
    expect(await tracesOf(switchboard, acme)).not.toContain('id null');
  });
});

describe('a message without a response', () => {
  it.each([
    ['a notification of a known method', { jsonrpc: '2.0', method: 'tools/list' }],
    ['a notification of an unknown method', { jsonrpc: '2.0', method: 'foobar' }],
    ['a notification with wrong parameters', { jsonrpc: '2.0', method: 'tools/call', params: [1] }],
    [
      'a notification of an unknown tool',
      { jsonrpc: '2.0', method: 'tools/call', params: { name: 'unheard_of' } },
    ],
    [
      'a notification of a tool that crashes',
      { jsonrpc: '2.0', method: 'tools/call', params: { name: 'crash' } },
    ],
    ['notifications/initialized', { jsonrpc: '2.0', method: 'notifications/initialized' }],
    [
      'notifications/cancelled',
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    ],
    ['a result', { jsonrpc: '2.0', id: 1, result: {} }],
    ['an error', { jsonrpc: '2.0', id: null, error: { code: 1, message: 'x' } }],
  ])('returns 202 without a body for %s', async (_case, body) => {
    const { status, text } = await post(body);
    expect({ status, text }).toEqual({ status: 202, text: '' });
  });

  it('runs the tool that a notification calls', async () => {
    const params = { name: 'note', arguments: { text: 'notified' } };
    await post({ jsonrpc: '2.0', method: 'tools/call', params });
    expect(await tracesOf(switchboard, acme)).toContain('notified');
  });
});

describe('MCP without a version header', () => {
  it('accepts initialize and ping without the MCP-Protocol-Version header', async () => {
    const initialize = await post({
      ...list,
      method: 'initialize',
      params: {
        protocolVersion: '2024-11-05',
        capabilities: {},
        clientInfo: { name: 'x', version: '1' },
      },
    });
    expect(initialize).toMatchObject({
      status: 200,
      body: {
        result: {
          protocolVersion: '2024-11-05',
          capabilities: { tools: {}, resources: {}, prompts: {} },
        },
      },
    });
    const ping = await post({ ...list, method: 'ping' });
    expect(ping).toMatchObject({ status: 200, body: { jsonrpc: '2.0', id: 1, result: {} } });
  });

  it('returns the result of a tool as text', async () => {
    const { body } = await post({
      ...noop,
      params: { name: 'echo_text', arguments: { text: 'é' } },
    });
    expect(textOf(body)).toEqual({ text: 'é' });
  });
});
