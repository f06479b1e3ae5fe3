import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { LiquidSandbox } from './liquid-sandbox.js';

const liquid = new LiquidSandbox();
const evaluate = (expression: string, scope: object = {}) =>
  liquid.evaluate('org_1', `{{ ${expression} }}`, scope);

describe('filters of data', () => {
  it.each<[string, unknown]>([
    ['"Ärger" | base64_encode', 'w4RyZ2Vy'],
    ['5 | base64_encode', 'NQ=='],
    ['"w4RyZ2Vy" | base64_decode', 'Ärger'],
    ['"8J-YgA" | base64_decode', '😀'],
    ['"" | base64_encode', ''],
    ['"abc" | sha256', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['"abc" | sha256: "base64"', 'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='],
    ['"abc" | hmac_sha256: "key"', createHmac('sha256', 'key').update('abc').digest('hex')],
    ['x | hmac_sha256: "key", "base64"', createHmac('sha256', 'key').update('ä{').digest('base64')],
    ['"[]" | parse_json', []],
    ['brackets | parse_json', ['[[['.repeat(100), '\\"[']],
    ['json | parse_json', { a: [1, 'x', null], big: '12345678901234567890' }],
    ['"2026-01-31T10:00:00+01:00" | date_add: 1, "months"', '2026-02-28T09:00:00.000Z'],
    ['"2026-01-31" | date_add: 3, "days"', '2026-02-03T00:00:00.000Z'],
    ['"2026-01-31T00:00:00Z" | date_add: -1.5, "hours"', '2026-01-30T22:30:00.000Z'],
    ['"2028-02-29" | date_add: "1", "years"', '2029-02-28T00:00:00.000Z'],
    ['"2026-01-01" | date_add: 2, "weeks" | date: "%d.%m.%Y"', '15.01.2026'],
  ])('evaluate %s', async (expression, value) => {
    const json = '{"a": [1, "x", null], "big": 12345678901234567890}';
    const brackets = JSON.stringify(['[[['.repeat(100), '\\"[']);
    expect(await evaluate(expression, { x: 'ä{', json, brackets })).toEqual(value);
  });

  it('compute a time relative to now with date_add', async () => {
    const before = Date.now() + 60_000;
    const time = Date.parse((await evaluate('"now" | date_add: 1, "minutes"')) as string);
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(Date.now() + 60_000);
  });

  it.each([
    ['nothing | base64_encode', 'The filter base64_encode got no value.'],
    ['list | sha256', 'The filter sha256 got a list or object. Use json before it.'],
    ['nothing | hmac_sha256: "key"', 'The filter hmac_sha256 got no value.'],
    ['"a" | hmac_sha256', 'The filter hmac_sha256 needs a key, as in hmac_sha256: "key".'],
    ['"a" | hmac_sha256: ""', 'The filter hmac_sha256 needs a key, as in hmac_sha256: "key".'],
    ['"a" | sha256: "utf8"', 'The filter sha256 has the encodings hex and base64.'],
    ['"*" | base64_decode', 'The filter base64_decode got a text that is not Base64.'],
    ['"/w==" | base64_decode', 'The filter base64_decode got bytes that are not text in UTF-8.'],
    ['"{" | parse_json', 'The filter parse_json got a text that is not JSON.'],
    ['list | parse_json', 'The filter parse_json got a value that is not text.'],
    ['deep | parse_json', 'The filter parse_json takes JSON that is nested at most 64 deep.'],
    ['many | parse_json', 'The filter parse_json takes at most 10000 values.'],
    [
      'long | parse_json',
      'The filter parse_json takes at most 10000 values and 262144 characters.',
    ],
    ['long | sha256', 'The filter sha256 takes at most 10000 values and 262144 characters.'],
    [
      '"soon" | date_add: 1, "days"',
      'The filter date_add got neither an RFC 3339 time nor a day such as 2030-01-31 nor "now".',
    ],
    [
      '"2026-01-31" | date_add: 1, "day"',
      'The filter date_add accepts the units seconds, minutes, hours, days, weeks, months, years.',
    ],
    [
      '"2026-01-31" | date_add: "x", "days"',
      'The filter date_add got an amount that is not a number.',
    ],
    ['"2026-01-31" | date_add: 0.5, "months"', 'The filter date_add takes whole months and years.'],
    [
      '"2026-01-31" | date_add: 9000, "years"',
      'The filter date_add has a result outside of the years 0 to 9999.',
    ],
    [
      '"2026-01-31" | date_add: huge, "days"',
      'The filter date_add has a result outside of the years 0 to 9999.',
    ],
  ])('have no result for %s', async (expression, message) => {
    const scope = {
      list: [1],
      huge: 1e300,
      deep: '['.repeat(100_000) + ']'.repeat(100_000),
      many: `[${'1,'.repeat(20_000)}1]`,
      long: 'x'.repeat(300_000),
    };
    await expect(evaluate(expression, scope)).rejects.toMatchObject({
      code: 'invalid_arguments',
      message,
    });
  });

  it('do not include filters that Switchboard does not list, such as md5', () => {
    expect(() => liquid.references('{{ "a" | md5 }}')).toThrow(/undefined filter: md5/);
  });
});
