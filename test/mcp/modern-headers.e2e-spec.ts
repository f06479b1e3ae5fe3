import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { errorOf, textOf } from './support/answer.js';
import {
  CAPABILITIES_KEY,
  metaOf,
  MODERN,
  modernRequest,
  postModern,
  VERSION_KEY,
} from './support/modern.js';
import { tracesOf } from './support/traces.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;

beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

type Headers = Record<string, string | undefined>;
const post = (message: unknown, headers: Headers = {}) => postModern(acme, message, headers);
const call = (name: string, given: object) =>
  modernRequest('tools/call', { name, arguments: given });
const list = modernRequest('tools/list');
const note = (text: string) => call('note', { text });
const later = { 'MCP-Protocol-Version': '2027-01-01' };
const versionless: Headers = { 'MCP-Protocol-Version': undefined };
const withMeta = (_meta: unknown, method = 'tools/list') => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: { _meta },
});

describe('_meta', () => {
  it.each<[string, unknown, Headers]>([
    ['no params', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, {}],
    ['positional params', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: [1] }, {}],
    ['no _meta', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }, {}],
    ['no _meta, in a later version', withMeta(undefined), later],
    ['no _meta, for initialize', withMeta(undefined, 'initialize'), {}],
    ['an empty _meta', withMeta({}), {}],
    ['no version', withMeta({ [CAPABILITIES_KEY]: {} }), {}],
    ['no capabilities', withMeta({ [VERSION_KEY]: MODERN }), {}],
    ['capabilities that are a list', withMeta({ ...metaOf(), [CAPABILITIES_KEY]: [] }), {}],
    ['a version that is a number', withMeta(metaOf(20_260_728)), {}],
    ['a version that is null, and no header', withMeta(metaOf(null)), versionless],
  ])('is required, with -32602 and status 400: %s', async (_case, message, headers) => {
    const { status, body } = await post(message, headers);
    expect({ status, body }).toEqual({ status: 400, body: errorOf(-32602, 1) });
  });

  it('can have other members of any type', async () => {
    const more = {
      'io.modelcontextprotocol/clientInfo': 5,
      'io.modelcontextprotocol/logLevel': 'debug',
      progressToken: 1.5,
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      'example.com/x': null,
    };
    expect(await post(withMeta({ ...metaOf(), ...more }))).toMatchObject({ status: 200 });
  });
});

describe('a header', () => {
  const echo = call('echo_text', { text: 'x' });
  const encoded = (name: string) => `=?base64?${Buffer.from(name).toString('base64')}?=`;

  it.each<[string, object, Headers]>([
    ['no version', list, versionless],
    ['no version, for initialize', modernRequest('initialize'), versionless],
    ['a version that differs from _meta', list, later],
    ['a legacy version', list, { 'MCP-Protocol-Version': '2025-11-25' }],
    ['a legacy version in _meta', withMeta(metaOf('2025-11-25')), {}],
    ['no method', list, { 'Mcp-Method': undefined }],
    ['another method', list, { 'Mcp-Method': 'tools/call' }],
    ['another case of the method', list, { 'Mcp-Method': 'tools/List' }],
    ['no name', echo, { 'Mcp-Name': undefined }],
    ['another name', echo, { 'Mcp-Name': 'noop' }],
    ['another case of the name', echo, { 'Mcp-Name': 'Echo_text' }],
    ['another name, encoded', echo, { 'Mcp-Name': encoded('noop') }],
    ['an invalid encoding', echo, { 'Mcp-Name': '=?base64?ZWNob190ZXh0===?=' }],
    ['a method that is not served, and no header', modernRequest('x'), { 'Mcp-Method': undefined }],
  ])('is refused with -32020 and status 400: %s', async (_case, message, headers) => {
    const { status, body } = await post(message, headers);
    expect({ status, body }).toEqual({ status: 400, body: errorOf(-32020, 1) });
  });

  it.each<[string, Headers]>([
    ['an encoded name', { 'Mcp-Name': encoded('echo_text') }],
    ['white space around', { 'Mcp-Name': ' echo_text \t', 'Mcp-Method': '\ttools/call ' }],
    ['a session id', { 'Mcp-Session-Id': 'made-up', 'Last-Event-ID': '7' }],
    ['no Accept that fits', { Accept: 'text/html' }],
  ])('is accepted: %s', async (_case, headers) => {
    expect(textOf((await post(echo, headers)).body)).toEqual({ text: 'x' });
  });

  it('can have a name in upper or lower case', async () => {
    const headers = { 'mCP-pROTOCOL-vERSION': MODERN, 'mCP-mETHOD': 'tools/list' };
    const none = { 'MCP-Protocol-Version': undefined, 'Mcp-Method': undefined };
    expect(await post(list, { ...none, ...headers })).toMatchObject({ status: 200 });
  });

  it('prevents the tool from running if the header is wrong', async () => {
    await post(note('mismatched'), { 'Mcp-Name': 'noop' });
    expect(await tracesOf(switchboard, acme)).not.toContain('mismatched');
  });
});

describe('an unsupported version', () => {
  it.each(['2027-01-01', '2025-11-25', 'latest', ''])(
    'is refused with the supported versions: %j',
    async (requested) => {
      const { status, body } = await post(withMeta(metaOf(requested)), {
        'MCP-Protocol-Version': requested,
        // The fault of the version is reported first, because another version may have other headers.
        'Mcp-Method': undefined,
      });
      const message = expect.any(String) as string;
      const data = { supported: [MODERN], requested };
      expect({ status, body }).toEqual({
        status: 400,
        body: { jsonrpc: '2.0', id: 1, error: { code: -32022, message, data } },
      });
    },
  );
});
