import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { parseResponseBody } from './response-body.js';

describe(parseResponseBody, () => {
  const parse = (type: string | undefined, body: Buffer | string) =>
    parseResponseBody({ headers: { 'content-type': type }, body: Buffer.from(body as string) });
  const latin = Buffer.from('{"name":"Zoë"}', 'latin1');
  const wide = Buffer.from('{"name":"Zoë"}', 'utf16le');

  it.each<[string, Buffer]>([
    ['application/json', Buffer.from('{"name":"Zoë"}')],
    ['application/json; charset=utf8', Buffer.from('{"name":"Zoë"}')],
    ['application/json;charset="ISO-8859-1"', latin],
    ['application/problem+json; charset=windows-1252', latin],
    ['APPLICATION/VND.API+JSON', Buffer.from('\ufeff{"name":"Zoë"}')],
    ['text/json; charset=utf-16le', wide],
    ['application/json', Buffer.concat([Buffer.from([0xff, 0xfe]), wide])],
    ['application/json; charset=no-such-charset', Buffer.from('{"name":"Zoë"}')],
  ])('decodes JSON of the type %s', async (type, body) => {
    expect(await parse(type, body)).toEqual({ json: { name: 'Zoë' }, text: null });
  });

  it.each<[string | undefined, Buffer]>([
    [undefined, Buffer.from('Grüße')],
    ['text/plain', Buffer.from('Grüße')],
    ['text/html; charset=iso-8859-15', Buffer.from('Grüße', 'latin1')],
    ['text/xml; boundary=x; Charset = "latin1"', Buffer.from('Grüße', 'latin1')],
  ])('decodes text of the type %s', async (type, body) => {
    expect(await parse(type, body)).toEqual({ json: null, text: 'Grüße' });
  });

  it('returns invalid JSON as text', async () => {
    expect(await parse('application/json', '{"a":')).toEqual({ json: null, text: '{"a":' });
  });

  it('keeps the digits of large numbers', async () => {
    expect((await parse('application/json', '[12345678901234567890]')).json).toEqual([
      '12345678901234567890',
    ]);
  });

  it('refuses JSON that is too complex', async () => {
    await expect(parse('application/json', `[${'1,'.repeat(100_001)}1]`)).rejects.toThrow(
      'The JSON of the response has more than 100000 values.',
    );
    await expect(parse('application/json', `${'['.repeat(65)}${']'.repeat(65)}`)).rejects.toThrow(
      'The JSON of the response is nested deeper than 64 levels.',
    );
  });

  it('refuses JSON with too many different names, and accepts any number of repeated names', async () => {
    const names = (count: number): string =>
      `{${Array.from({ length: count }, (_, at) => `"${at.toString(36)}":1`).join()}}`;
    await expect(parse('application/json', names(50_001))).rejects.toThrow(
      'The JSON of the response has more than 50000 different names.',
    );
    const { json } = await parse('application/json', names(50_000));
    expect(Object.keys(json as object)).toHaveLength(50_000);
    const repeated = `[${Array(49_000).fill('{"a":1}').join()}]`;
    expect((await parse('application/json', repeated)).json).toHaveLength(49_000);
  });

  it('parses JSON once, although it has numbers whose digits JavaScript would lose', async () => {
    const parseJson = vi.spyOn(JSON, 'parse');
    await parse('application/json', `[${Array(1000).fill('12345678901234567890').join()}]`);
    expect(parseJson).toHaveBeenCalledOnce();
    parseJson.mockRestore();
  });

  const packed = (coding: string, body: Buffer) =>
    parseResponseBody({ headers: { 'content-encoding': coding }, body });

  it.each<[string, (text: string) => Buffer]>([
    ['gzip', gzipSync],
    ['X-GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('decompresses %s', async (coding, pack) => {
    expect(await packed(coding, pack('Grüße'))).toEqual({ json: null, text: 'Grüße' });
  });

  it.each<[string, string, Buffer, string]>([
    ['a bomb', 'gzip', gzipSync(Buffer.alloc(20_000_000)), 'larger than 1048576 bytes when it is'],
    ['a body that is not packed', 'br', Buffer.from('text'), 'do not fit its Content-Encoding'],
    ['an unknown coding', 'constructor', Buffer.from('text'), 'unknown compression'],
    ['two codings', 'gzip, gzip', gzipSync(gzipSync('a')), 'unknown compression'],
  ])('refuses %s', async (_what, coding, body, message) => {
    await expect(packed(coding, body)).rejects.toThrow(message);
  });
});
