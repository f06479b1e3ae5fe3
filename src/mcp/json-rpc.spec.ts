import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CODE_POINT } from '../../test/support/code-points.js';
import { IS_THOROUGH } from '../../test/support/thorough.js';
import { isJsonObject } from '../text/is-json-object.js';
import { parseMember, readableId } from './json-rpc.js';

const request = { jsonrpc: '2.0', id: 1, method: 'ping' };
const text = (value: object) => JSON.stringify(value);
const LONG = 'x'.repeat(256);

describe(parseMember.name, () => {
  it.each([
    [text(request), { kind: 'request', id: 1, method: 'ping' }],
    [
      text({ ...request, params: {}, more: 1 }),
      { kind: 'request', id: 1, method: 'ping', params: {} },
    ],
    [text({ ...request, params: [1] }), { kind: 'request', id: 1, method: 'ping', params: [1] }],
    [text({ ...request, id: '' }), { kind: 'request', id: '', method: 'ping' }],
    [text({ ...request, id: 1.5 }), { kind: 'request', id: 1.5, method: 'ping' }],
    [text({ ...request, id: LONG }), { kind: 'request', id: LONG, method: 'ping' }],
    [text({ jsonrpc: '2.0', method: 'x' }), { kind: 'notification', method: 'x' }],
    [text({ jsonrpc: '2.0', id: 1, result: {} }), { kind: 'response' }],
    [text({ jsonrpc: '2.0', id: null, error: {} }), { kind: 'response' }],
  ])('accepts %s', (json, member) => {
    expect(parseMember(JSON.parse(json))).toEqual(member);
  });

  it.each([
    ['5', null],
    ['null', null],
    ['"x"', null],
    ['[]', null],
    ['{}', null],
    [text({ ...request, id: null }), null],
    [text({ ...request, id: true }), null],
    [text({ ...request, id: `${LONG}x` }), null],
    [text({ ...request, id: {} }), null],
    [text({ ...request, id: [] }), null],
    ['{"jsonrpc":"2.0","method":"ping","id":1e400}', null],
    ['{"jsonrpc":"2.0","method":"ping","id":9007199254740993}', null],
    ['{"jsonrpc":"2.0","method":"ping","id":-9007199254740993}', null],
    [text({ id: 1, method: 'ping' }), 1],
    [text({ ...request, jsonrpc: '1.0' }), 1],
    [text({ ...request, jsonrpc: 2 }), 1],
    [text({ jsonrpc: '2.0', id: 1 }), 1],
    [text({ ...request, method: 1 }), 1],
    [text({ ...request, params: null }), 1],
    [text({ ...request, params: 'bar' }), 1],
    [text({ ...request, params: 0 }), 1],
    [text({ ...request, params: false }), 1],
    [text({ id: 1, result: {} }), 1],
    ['{"__proto__":{"jsonrpc":"2.0","id":1,"method":"ping"}}', null],
  ])('refuses %s', (json, id) => {
    expect(parseMember(JSON.parse(json))).toMatchObject({ kind: 'invalid', id });
  });

  it('never throws, and returns an id only if it was sent and can be echoed', () => {
    const property = fc.property(fc.json(), (json) => {
      const value: unknown = JSON.parse(json);
      const member = parseMember(value);
      if (member.kind === 'request' || (member.kind === 'invalid' && member.id !== null)) {
        expect(isJsonObject(value) && value.id).toBe(member.id);
        expect(JSON.parse(JSON.stringify(member.id))).toBe(member.id);
      }
    });
    fc.assert(property, { numRuns: IS_THOROUGH ? 2000 : 60 });
  });

  it('accepts every request with a lossless id and any parameters', () => {
    const id = fc.oneof(
      fc.string({ unit: ANY_CODE_POINT }),
      fc.maxSafeInteger(),
      fc.double({ noNaN: true, min: -1e15, max: 1e15 }).filter((number) => number !== 0),
    );
    const property = fc.property(
      id,
      fc.string(),
      fc.dictionary(fc.string(), fc.jsonValue()),
      (id, method, params) => {
        const sent: unknown = JSON.parse(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
        expect(parseMember(sent)).toMatchObject({ kind: 'request', id, method });
        expect(readableId(sent)).toBe(id);
      },
    );
    fc.assert(property, { numRuns: IS_THOROUGH ? 2000 : 60 });
  });
});
