import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberText, quoteInexactNumbers } from './exact-numbers.js';

describe(quoteInexactNumbers, () => {
  it.each([
    '12345678901234567890',
    '-9007199254740993',
    '0.12345678901234567891',
    '19.990000000000000001',
    '1e400',
    '-1E+400',
    '1e-400',
    '123456789012345678.5',
  ])('turns %s into text, because its digits would be lost', (number) => {
    expect(JSON.parse(quoteInexactNumbers(`{"a":[${number}]}`))).toEqual({ a: [number] });
  });

  it.each([
    '9007199254740991',
    '9007199254740992',
    '12345678901234567000',
    '0.1',
    '0.10',
    '0.10000000000000001',
    '1e21',
    '1.50E+2',
    '-0.0',
    '100000000000000000000',
    '1e308',
    '5e-324',
  ])('leaves the number %s as it is', (number) => {
    expect(quoteInexactNumbers(`[${number}]`)).toBe(`[${number}]`);
  });

  it('changes no text and no name that contains digits', () => {
    const json = JSON.stringify({
      '12345678901234567890': 'a 12345678901234567890 b',
      'quote " 12345678901234567890': '\\',
      'backslash \\" 1e400': '\\\\" 1e400 \\',
      n: 1,
    });
    expect(quoteInexactNumbers(json)).toBe(json);
    expect(quoteInexactNumbers('{"a\\\\":1e400,"b":"\\""}')).toBe('{"a\\\\":"1e400","b":"\\""}');
  });

  it('changes no JSON that JavaScript has written', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(quoteInexactNumbers(json)).toBe(json);
      }),
    );
  });

  it('keeps the digits of every integer', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), (integer) => {
        const [parsed] = JSON.parse(quoteInexactNumbers(`[${integer}]`)) as [string | number];
        expect(typeof parsed === 'number' ? numberText(parsed) : parsed).toBe(String(integer));
      }),
      { examples: [[-1192092895507812500000000000000000n], [90071992547409936n], [10n ** 23n]] },
    );
  });
});

describe(numberText, () => {
  it.each([
    [0, '0'],
    [-0, '0'],
    [42, '42'],
    [1.5, '1.5'],
    [1e21, '1000000000000000000000'],
    [-1.25e-7, '-0.000000125'],
    [5e-8, '0.00000005'],
  ])('writes %d without an exponent', (value, text) => {
    expect(numberText(value)).toBe(text);
  });

  it('writes a text that JavaScript reads as the same number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Number(numberText(value))).toBe(value === 0 ? 0 : value);
      }),
    );
  });
});
