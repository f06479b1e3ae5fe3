import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonRpcError } from './json-rpc-error.js';
import type { McpHeaders } from './mcp-headers.js';
import { assertModernRequest, parseModernMember } from './modern-request.js';

const MODERN = '2026-07-28';
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const meta = (version: unknown = MODERN) => ({ [VERSION_KEY]: version, [CAPABILITIES_KEY]: {} });

describe(parseModernMember.name, () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

  it.each([1, 0, -7, 'a', ''])('accepts the id %j', (id) => {
    expect(parseModernMember({ ...message, id })).toMatchObject({ kind: 'request', id });
  });

  it.each([1.5, null, true, [], {}, 2 ** 53])('refuses the id %j and cannot echo it', (id) => {
    expect(parseModernMember({ ...message, id })).toMatchObject({ kind: 'invalid', id: null });
  });

  it.each([
    [7, 7],
    [1.5, null],
  ])('echoes the id %j of an invalid envelope as %j', (id, echoed) => {
    expect(parseModernMember({ ...message, id, jsonrpc: '1.0' })).toMatchObject({
      kind: 'invalid',
      id: echoed,
    });
  });

  it.each([{ result: {} }, { error: { code: 1, message: 'x' } }])(
    'refuses a response without echoing its id: %j',
    (outcome) => {
      expect(parseModernMember({ jsonrpc: '2.0', id: 1, ...outcome })).toMatchObject({
        kind: 'invalid',
        id: null,
      });
    },
  );

  it('accepts a notification', () => {
    expect(parseModernMember({ jsonrpc: '2.0', method: 'x' })).toMatchObject({
      kind: 'notification',
    });
  });
});

describe(assertModernRequest.name, () => {
  const code = (
    method: string,
    params: Record<string, unknown> | undefined,
    headers: Partial<McpHeaders>,
  ): number | undefined => {
    try {
      assertModernRequest(
        { kind: 'request', id: 1, method, ...(params && { params }) },
        { version: undefined, method: undefined, name: undefined, ...headers },
      );
    } catch (error) {
      if (error instanceof JsonRpcError) return error.code;
      throw error;
    }
    return undefined;
  };
  const call = { name: 'größe', _meta: meta() };
  const encoded = `=?base64?${Buffer.from('größe').toString('base64')}?=`;
  const good = { version: MODERN, method: 'tools/call', name: encoded };

  it.each<[string, string, Record<string, unknown> | undefined, Partial<McpHeaders>]>([
    ['a list', 'tools/list', { _meta: meta() }, { version: MODERN, method: 'tools/list' }],
    ['a call', 'tools/call', call, good],
    ['a call without a name', 'tools/call', { _meta: meta() }, { ...good, name: undefined }],
    ['a name header for a method without a name', 'x', { _meta: meta() }, { ...good, method: 'x' }],
    ['a broken client name', 'tools/call', { ...call, clientInfo: 5 }, good],
  ])('accepts %s', (_case, method, params, headers) => {
    expect(code(method, params, headers)).toBeUndefined();
  });

  // Each row contains the faults of all rows below it too.
  it.each<[string, number, Record<string, unknown> | undefined, Partial<McpHeaders>]>([
    ['no params', -32602, undefined, { version: MODERN, method: 'x' }],
    ['_meta that is a list', -32602, { _meta: [] }, { version: MODERN, method: 'x' }],
    ['no capabilities', -32602, { _meta: { [VERSION_KEY]: '1' } }, { version: MODERN }],
    ['a version that is a number', -32602, { _meta: meta(5) }, { version: MODERN }],
    ['an inherited version', -32602, { _meta: Object.create(meta()) as object }, {}],
    ['another version in the header', -32020, { _meta: meta('2027-01-01') }, { version: MODERN }],
    ['a future version', -32022, { _meta: meta('2027-01-01') }, { version: '2027-01-01' }],
    ['a legacy version', -32022, { _meta: meta('2025-11-25') }, { version: '2025-11-25' }],
    ['a legacy version and no header', -32022, { _meta: meta('2025-11-25') }, {}],
    ['no version header', -32020, { name: 'a', _meta: meta() }, { method: 'x' }],
    ['no method header', -32020, { name: 'a', _meta: meta() }, { version: MODERN }],
    ['another method', -32020, call, { ...good, method: 'tools/list' }],
    ['another case of the method', -32020, call, { ...good, method: 'Tools/Call' }],
    ['no name', -32020, call, { ...good, name: undefined }],
    ['another name', -32020, call, { ...good, name: 'grosse' }],
    ['a name that is not base64', -32020, call, { ...good, name: '=?base64?!?=' }],
    ['a name that is missing in the body', -32020, { _meta: meta() }, good],
  ])('refuses %s with %i', (_case, expected, params, headers) => {
    expect(code('tools/call', params, headers)).toBe(expected);
  });

  it.each([
    ['prompts/get', 'name'],
    ['resources/read', 'uri'],
  ])('requires that the name header of %s equals its %s', (method, parameter) => {
    const params = { [parameter]: 'x', _meta: meta() };
    expect(code(method, params, { version: MODERN, method })).toBe(-32020);
    expect(code(method, params, { version: MODERN, method, name: 'x' })).toBeUndefined();
  });

  it('lists the supported versions', () => {
    const params = { _meta: meta('2027-01-01') };
    const headers = { version: '2027-01-01', method: 'x', name: undefined };
    expect(() =>
      assertModernRequest({ kind: 'request', id: 1, method: 'x', params }, headers),
    ).toThrow(
      expect.objectContaining({ data: { supported: [MODERN], requested: '2027-01-01' } }) as Error,
    );
  });

  it('throws only JsonRpcError', () => {
    const text = fc.option(fc.string(), { nil: undefined });
    const property = fc.property(
      fc.constantFrom('tools/call', 'tools/list', '__proto__'),
      fc.dictionary(fc.constantFrom('name', '_meta', 'uri'), fc.jsonValue()),
      fc.record({ version: fc.constantFrom(MODERN, undefined, 'x'), method: text, name: text }),
      (method, params, headers) => {
        expect([undefined, -32602, -32020, -32022]).toContain(code(method, params, headers));
      },
    );
    fc.assert(property);
  });
});
