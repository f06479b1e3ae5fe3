import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import type { WebhookFormat } from '../../definitions/webhook-formats.js';
import { readContentType } from './content-type.js';
import { queryPayload, readPayload } from './read-payload.js';

const noTurn = (): undefined => undefined;
const ALL: WebhookFormat[] = ['json', 'form', 'multipart', 'text', 'gzip', 'get'];
const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=X';
const MIB = 1024 * 1024;

interface Given {
  encoding?: string;
  formats?: WebhookFormat[];
  unwrapsPayload?: boolean;
}

const read = async (type: string, body: string | Buffer, given: Given = {}) => {
  const { encoding, formats = ALL, unwrapsPayload = false } = given;
  const headers = {
    ...(type !== '' && { 'content-type': type }),
    ...(encoding !== undefined && { 'content-encoding': encoding }),
  };
  const found = await readPayload(Buffer.from(body), readContentType(headers, formats), {
    formats,
    unwrapsPayload,
    takeTurn: noTurn,
  });
  // The bytes are stored, and steps must read the same payload from them.
  expect(JSON.parse(found.bytes.toString().replace(/^\ufeff/, ''))).toEqual(found.payload);
  return found.payload;
};

const part = (headers: string, content: string) => `--X\r\n${headers}\r\n\r\n${content}\r\n`;
const text = (name: string, content: string) =>
  part(`Content-Disposition: form-data; name="${name}"`, content);
const END = '--X--\r\n';
const FILE = part(
  'Content-Disposition: form-data; name="photo"; filename="a.png"\r\nContent-Type: image/png',
  '\u0000\u0001\r\n--Y',
);

describe(readPayload, () => {
  it.each<[string, string, string | Buffer, unknown, Given?]>([
    ['a JSON object', 'application/json', '{"a":1}', { a: 1 }],
    ['a JSON array', 'application/json; charset=UTF-8', '[1,{"a":2}]', { body: [1, { a: 2 }] }],
    ['a JSON text', 'application/json', '"x"', { body: 'x' }],
    ['JSON null after a byte order mark', 'application/json', '\ufeffnull', { body: null }],
    ['+json', 'application/vnd.api+json', '{"a":1}', { a: 1 }],
    ['CloudEvents in a batch', 'application/cloudevents-batch+json', '[]', { body: [] }],
    ['a form', FORM, 'a=1&b=x+y%21&b=%C3%BC&c', { a: '1', b: ['x y!', 'ü'], c: '' }],
    ['a form with a lone percent sign', FORM, 'a=100%&b=%zz', { a: '100%', b: '%zz' }],
    ['an empty form', FORM, '', {}],
    ['a form with __proto__', FORM, '__proto__=1', Object.fromEntries([['__proto__', '1']])],
    ['text', 'text/plain', 'Hello', { body: 'Hello' }],
    ['XML', 'application/xml', '<a/>', { body: '<a/>' }],
    [
      'text in another charset',
      'text/plain; charset=iso-8859-1',
      Buffer.from('ü', 'latin1'),
      { body: 'ü' },
    ],
    ['JSON without a type', '', '{"a":1}', { a: 1 }],
    ['text without a type', '', 'Hello', { body: 'Hello' }],
    ['JSON as text without a type', '', '{"a":1}', { body: '{"a":1}' }, { formats: ['text'] }],
    ['gzip', 'application/json', gzipSync('{"a":1}'), { a: 1 }, { encoding: 'gzip' }],
    ['a gzip form', FORM, gzipSync('a=1'), { a: '1' }, { encoding: 'GZIP' }],
    ['multipart', MULTIPART, text('a', '1') + text('a', 'ü') + END, { a: ['1', 'ü'] }],
    [
      'a file by its name, type and size',
      'multipart/form-data; boundary="X"',
      text('a', '1') + FILE + END,
      { a: '1', photo: { filename: 'a.png', type: 'image/png', size: 7 } },
    ],
    [
      'the payload of GitHub',
      FORM,
      'payload=%7B%22a%22%3A1%7D',
      { a: 1 },
      { unwrapsPayload: true },
    ],
    ['a field payload', FORM, 'payload=%7B%7D', { payload: '{}' }],
  ])('reads %s', async (_what, type, body, payload, given) => {
    expect(await read(type, body, given)).toEqual(payload);
  });

  it('keeps the digits of numbers beyond 2^53', async () => {
    expect(await read('application/json', '[12345678901234567890]').catch(String)).toBeDefined();
    const rules = { formats: ALL, unwrapsPayload: false, takeTurn: noTurn };
    const type = readContentType({ 'content-type': 'application/json' }, ALL);
    const { bytes } = await readPayload(Buffer.from('[12345678901234567890]'), type, rules);
    expect(bytes.toString()).toBe('{"body":[12345678901234567890]}');
  });

  it('parses a compressed body only after a turn for its decompressed size', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    const body = JSON.stringify({ text: 'x'.repeat(MIB / 2) });
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const turns: number[] = [];
    const takeTurn = async (bytes: number): Promise<void> => {
      turns.push(bytes);
      await Promise.resolve();
      expect(parse).not.toHaveBeenCalled();
    };
    const rules = { formats: ALL, unwrapsPayload: false, takeTurn };
    await readPayload(gzipSync(body), readContentType(headers, ALL), rules);
    expect(turns).toEqual([body.length]);
    expect(parse).toHaveBeenCalled();
    parse.mockRestore();
  });

  it.each<[string, string, string | Buffer, string, Given?]>([
    ['text that is not JSON', 'application/json', 'Hello', 'invalid_json'],
    ['a list by default', 'application/json', '[]', 'not_an_object', { formats: [] }],
    ['a list by a form', FORM, 'payload=[]', 'not_an_object', { unwrapsPayload: true }],
    ['a form with bytes that are not UTF-8', FORM, 'a=%FC', 'invalid_body'],
    ['a form in Latin-1', FORM, Buffer.from('a=ü', 'latin1'), 'invalid_body'],
    ['a form in another charset', `${FORM}; charset=latin1`, 'a=1', 'unsupported_media_type'],
    ['text in an unknown charset', 'text/plain; charset=klingon', 'a', 'unsupported_media_type'],
    ['text that is not in its charset', 'text/plain', Buffer.from([0xfc]), 'invalid_body'],
    ['bytes without a type', '', Buffer.from([0xfc]), 'invalid_body'],
    ['1,001 fields', FORM, 'a=1&'.repeat(1001), 'too_complex'],
    ['text that is larger as JSON', 'text/plain', '\u0001'.repeat(MIB / 4), 'payload_too_large'],
    ['a bomb', FORM, gzipSync(Buffer.alloc(64 * MIB)), 'payload_too_large', { encoding: 'gzip' }],
    ['words as gzip', FORM, 'Hello', 'invalid_body', { encoding: 'gzip' }],
    ['half of gzip', FORM, gzipSync('a=1').subarray(0, 15), 'invalid_body', { encoding: 'gzip' }],
    ['brotli', FORM, 'a', 'unsupported_media_type', { encoding: 'br' }],
    ['gzip twice', FORM, 'a', 'unsupported_media_type', { encoding: 'gzip, gzip' }],
    ['a PDF', 'application/pdf', 'a', 'unsupported_media_type'],
    ['multipart without a boundary', 'multipart/form-data', END, 'invalid_body'],
    ['multipart without parts', MULTIPART, 'Hello', 'invalid_body'],
    ['multipart without an end', MULTIPART, text('a', '1'), 'invalid_body'],
    [
      'multipart with a long part without a name, which the parser never finishes',
      MULTIPART,
      `--X\r\nContent-Type: text/plain\r\n\r\n${'x'.repeat(100_000)}\r\n${END}`,
      'invalid_body',
    ],
    ['a part without a name', MULTIPART, part('A: b', '1') + END, 'invalid_body'],
    ['a part without headers', MULTIPART, `--X\r\n${END}`, 'invalid_body'],
    [
      'a part that is not UTF-8',
      MULTIPART,
      Buffer.from(text('a', 'ü') + END, 'latin1'),
      'invalid_body',
    ],
    ['1,001 parts', MULTIPART, text('a', '1').repeat(1001) + END, 'too_complex'],
    ['100,000 delimiters', MULTIPART, '--X\r\n\r\n\r\n'.repeat(100_000) + END, 'too_complex'],
    [
      'a part with long headers',
      MULTIPART,
      part(`A: ${'b'.repeat(9000)}`, '1') + END,
      'too_complex',
    ],
    ['a part with many headers', MULTIPART, part('A: b\r\n'.repeat(30), '1') + END, 'too_complex'],
  ])('refuses %s', async (_what, type, body, code, given) => {
    await expect(read(type, body, given)).rejects.toMatchObject({ code });
  });

  it('refuses every format that the workflow does not accept', async () => {
    const bodies: [string, string, WebhookFormat][] = [
      ['application/ld+json', '{}', 'json'],
      [FORM, 'a=1', 'form'],
      [MULTIPART, text('a', '1') + END, 'multipart'],
      ['text/plain', 'a', 'text'],
    ];
    for (const [type, body, format] of bodies) {
      const formats = ALL.filter((other) => other !== format);
      const refusal = { code: 'unsupported_media_type' };
      await expect(read(type, body, { formats })).rejects.toMatchObject(refusal);
      await expect(read(type, body, { formats: [format] })).resolves.toBeDefined();
    }
    const compressed = { formats: ['form'] as WebhookFormat[], encoding: 'gzip' };
    await expect(read(FORM, gzipSync('a=1'), compressed)).rejects.toMatchObject({
      code: 'unsupported_media_type',
    });
  });

  it('reads or refuses every cut or changed multipart body, and never returns a payload without fields', async () => {
    const whole = text('a', '1') + FILE + text('b', '2') + END;
    let random = 1;
    const next = (most: number): number => {
      random = (random * 48_271) % 2_147_483_647;
      return random % most;
    };
    for (let round = 0; round < 2000; round += 1) {
      const bytes = Buffer.from(whole);
      for (let changes = next(4); changes > 0; changes -= 1) bytes[next(bytes.length)] = next(256);
      const body = next(3) === 0 ? bytes.subarray(0, next(bytes.length)) : bytes;
      const found = await read(MULTIPART, body).catch(() => undefined);
      if (found) expect(Object.values(found).flat().length).toBeGreaterThanOrEqual(1);
    }
  });
});

describe(queryPayload, () => {
  it('reads the fields of a query', () => {
    expect(queryPayload('a=1&b=2&b=3').payload).toEqual({ a: '1', b: ['2', '3'] });
    expect(queryPayload('').payload).toEqual({});
  });
});
