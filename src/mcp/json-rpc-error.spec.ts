import { describe, expect, it } from 'vitest';
import { AppError } from '../errors/app-error.js';
import { ShownBug } from '../errors/shown-bug.js';
import { ERROR_CODES, toolError } from './app-error-encoding.js';
import { JsonRpcError, encodeError, encodeResult } from './json-rpc-error.js';

describe('the error codes of JSON-RPC', () => {
  it('are defined by JSON-RPC, or are outside of the range of JSON-RPC and MCP', () => {
    const standard = new Set([-32_700, -32_600, -32_601, -32_602, -32_603]);
    const codes = Object.values(ERROR_CODES).flatMap(({ method, request }) => [method, request]);
    for (const code of codes) expect(standard.has(code) || code > 0).toBe(true);
  });
});

describe(encodeError.name, () => {
  const error = new JsonRpcError(1403, 'No.');

  it.each([
    [1, '{"jsonrpc":"2.0","id":1,"error":{"code":1403,"message":"No."}}'],
    [null, '{"jsonrpc":"2.0","id":null,"error":{"code":1403,"message":"No."}}'],
    [undefined, '{"jsonrpc":"2.0","error":{"code":1403,"message":"No."}}'],
  ])('encodes the id %s', (id, json) => {
    expect(encodeError(id, error)).toBe(json);
  });

  it('includes data if the error has data', () => {
    expect(JSON.parse(encodeError(1, JsonRpcError.internal('e')))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32_603, message: 'Internal error', data: { error_id: 'e' } },
    });
  });
});

describe(encodeResult.name, () => {
  it('inserts the JSON text of the result unchanged', () => {
    expect(encodeResult('a"b', '{"x":1}')).toBe('{"jsonrpc":"2.0","id":"a\\"b","result":{"x":1}}');
  });

  it('encodes a result in UTF-8 to the same text', () => {
    const result = '{"x":"é…🙂"}';
    const encoded = encodeResult('ü', Buffer.from(result));
    expect(encoded).toEqual(Buffer.from(encodeResult('ü', result)));
  });
});

describe(toolError.name, () => {
  it('encodes an expected failure with its details and logs nothing', () => {
    const logged: string[] = [];
    const details = [{ path: 'email', message: 'is required' }];
    const shown = toolError(AppError.invalid('email is required.', details), (id) =>
      logged.push(id),
    );
    expect(shown).toEqual({
      error: { code: 'invalid_arguments', message: 'email is required.', details },
    });
    expect(logged).toEqual([]);
  });

  it('shows the message of a bug in development', () => {
    expect(toolError(new ShownBug(new Error('Call it.')), () => undefined)).toMatchObject({
      error: { code: 'internal', message: 'Internal error: Call it.' },
    });
  });

  it.each([
    new Error('password=hunter2'),
    new AppError('internal', 'password=hunter2'),
    'password=hunter2',
    undefined,
  ])('encodes only the error id of a bug', (thrown) => {
    const logged: string[] = [];
    const shown = toolError(thrown, (id) => logged.push(id));
    expect(shown).toEqual({
      error: { code: 'internal', message: 'Internal error', error_id: logged[0] },
    });
    expect(logged).toHaveLength(1);
  });
});
