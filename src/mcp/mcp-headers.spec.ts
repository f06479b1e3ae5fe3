import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CODE_POINT } from '../../test/support/code-points.js';
import { decodeHeaderValue, mcpHeadersOf, unreadableId } from './mcp-headers.js';

const base64 = (value: string | Uint8Array): string => Buffer.from(value).toString('base64');

describe(decodeHeaderValue.name, () => {
  it.each<[string, string, string | undefined]>([
    ['a plain value', 'send_message', 'send_message'],
    ['an empty value', '', ''],
    ['an encoded value', `=?base64?${base64('größe')}?=`, 'größe'],
    ['an encoded empty value', '=?base64??=', ''],
    ['a byte order mark, which is kept', `=?base64?${base64('\ufeffa')}?=`, '\ufeffa'],
    ['a marker in capitals, which is plain text', '=?BASE64?YQ==?=', '=?BASE64?YQ==?='],
    ['a marker without an end, which is plain text', '=?base64?YQ==', '=?base64?YQ=='],
    ['a missing padding', '=?base64?YQ?=', undefined],
    ['other characters', '=?base64?Y*Q=?=', undefined],
    ['white space inside', '=?base64?Y Q==?=', undefined],
    ['the alphabet of URLs', '=?base64?_-8=?=', undefined],
    ['unused bits that are not zero', '=?base64?YR==?=', undefined],
    ['bytes that are not UTF-8', `=?base64?${base64(Buffer.from([0xff]))}?=`, undefined],
  ])('decodes %s', (_case, value, expected) => {
    expect(decodeHeaderValue(value)).toBe(expected);
  });

  it('decodes every text that was encoded', () => {
    const text = fc.string({ unit: ANY_CODE_POINT });
    fc.assert(
      fc.property(text, (string) => {
        expect(decodeHeaderValue(`=?base64?${base64(string)}?=`)).toBe(string);
      }),
    );
  });
});

describe(mcpHeadersOf.name, () => {
  it('trims the version and leaves absent headers undefined', () => {
    expect(mcpHeadersOf({ 'mcp-protocol-version': ' 2026-07-28\t' })).toEqual({
      version: '2026-07-28',
      method: undefined,
      name: undefined,
    });
  });

  it('joins the values of a repeated header', () => {
    expect(mcpHeadersOf({ 'mcp-method': 'a, a', 'mcp-name': ['b', 'b'] })).toMatchObject({
      method: 'a, a',
      name: 'b,b',
    });
  });
});

describe(unreadableId.name, () => {
  it.each([
    [undefined, null],
    ['2025-11-25', null],
    ['2026-07-28', undefined],
    ['2027-01-01', undefined],
  ])('returns for the version %s: %s', (version, expected) => {
    expect(unreadableId(version)).toBe(expected);
  });
});
