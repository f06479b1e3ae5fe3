import { describe, expect, it } from 'vitest';
import { objectOfFields, parseForm } from './fields.js';
import { fieldsJson, formJson, type LargeWork, textJson } from './large-fields.js';

const WORK: LargeWork = {
  maxBytes: 10_000,
  // Each turn does only one step, because the time of the turn is already over.
  run: async (job) => {
    while (!job.run(0));
  },
};

const parse = (bytes: Buffer): unknown => JSON.parse(bytes.toString());

describe('a large form', () => {
  it.each([
    '',
    'a',
    'a=',
    '=a',
    '&&a=1&&',
    'a=1&b=2&a=3&a=4',
    'a=x+y%21%zz%4&b=%C3%BC&c=100%',
    'a=%00%01%1f%22%5c%0d%0a%7f',
    '%61%2b=1&a%2B=2',
    '__proto__=1&constructor=2',
    'ü=€😀&b="\\',
    'a=b=c&d==',
  ])('is read like a small form: %j', async (text) => {
    const json = await formJson(Buffer.from(text), WORK, false);
    expect(JSON.stringify(parse(json))).toBe(JSON.stringify(objectOfFields(parseForm(text))));
  });

  it('has the JSON of its only field `payload`, as GitHub sends it', async () => {
    const json = '{"a":"+ \\u00fc ü %"}';
    const body = Buffer.from(`payload=${encodeURIComponent(json)}`);
    expect((await formJson(body, WORK, true)).toString()).toBe(json);
    expect(parse(await formJson(body, WORK, false))).toEqual({ payload: json });
  });

  it('is refused when it has 1,001 fields, bytes that are not UTF-8, or JSON that is too large', async () => {
    const read = (text: string) => formJson(Buffer.from(text), WORK, false);
    await expect(read('a=1&'.repeat(1001))).rejects.toMatchObject({ code: 'too_complex' });
    await expect(read('a=%FC')).rejects.toMatchObject({ code: 'invalid_body' });
    await expect(read(`a=${'%01'.repeat(2000)}`)).rejects.toMatchObject({
      code: 'payload_too_large',
    });
  });
});

describe('a large text', () => {
  it('is decoded from its charset, also across pieces', async () => {
    const work = { ...WORK, maxBytes: 1_000_000 };
    const text = 'aü"\\\n€'.repeat(30_000);
    expect(parse(await textJson(Buffer.from(`\ufeff${text}`), 'utf-8', work))).toEqual({
      body: text,
    });
    const wide = Buffer.from(text, 'utf16le');
    expect(parse(await textJson(wide, 'utf-16le', work))).toEqual({ body: text });
    await expect(textJson(Buffer.from([0xfc]), 'utf-8', work)).rejects.toMatchObject({
      code: 'invalid_body',
    });
    await expect(textJson(Buffer.from([0xd8]), 'utf-16le', work)).rejects.toMatchObject({
      code: 'invalid_body',
    });
  });
});

describe('large fields', () => {
  it('keep texts and files, and fields with the same name become a list', async () => {
    const file = { filename: 'a"b', type: 'image/png', size: 7 };
    const json = await fieldsJson(
      [
        ['a"', 'x\n'],
        ['f', file],
        ['a"', 'y'],
      ],
      WORK,
    );
    expect(parse(json)).toEqual({ 'a"': ['x\n', 'y'], f: file });
  });
});
