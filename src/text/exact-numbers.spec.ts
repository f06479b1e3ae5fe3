import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberText, quoteInexactNumbers } from './exact-numbers.js';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns true when JavaScript keeps all digits of this text. Then one of the ways in which JavaScript writes the number
 * has the same digits and the same power of ten. This check is simple but slow.
 */
function isExactByAllNotations(number: string): boolean {
  const value = Number(number);
  if (!Number.isFinite(value)) return false;
  const notations = Number.isInteger(value)
    ? [String(value)]
    : [String(value), value.toPrecision(16), value.toPrecision(17)];
  return notations.some((notation) => normalize(notation) === normalize(number));
}

/** Returns the digits without zeros at the ends, and the power of ten of the last digit. */
function normalize(number: string): string {
  const [mantissa = '', power = '0'] = number.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return '0';
  const sign = mantissa.startsWith('-') ? '-' : '';
  return `${sign}${kept}e${Number(power) - fraction.length + digits.length - kept.length}`;
}

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

  it.each([
    '[01234567890123456789]',
    '{1e400:1}',
    '{12345678901234567890 :1}',
    '[--1e400]',
    '[1.e400]',
    '["a',
    '["a\\',
    '[1e400e400]',
    'tru1e400',
  ])('leaves %s invalid', (text) => {
    expect(() => JSON.parse(quoteInexactNumbers(text))).toThrow('JSON');
  });

  it('makes no invalid JSON valid', () => {
    const piece = fc.constantFrom(
      ...'[]{},:"\\ -+.eE0123456789'.split(''),
      '1e400',
      '9'.repeat(20),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        expect(isJson(quoteInexactNumbers(text))).toBe(isJson(text));
      }),
    );
  });

  it('finds the numbers whose digits differ in every notation of JavaScript', () => {
    const text = fc.oneof(
      fc
        .tuple(
          fc.bigInt({ min: 0n, max: 10n ** 19n }),
          fc.nat(20),
          fc.integer({ min: -345, max: 310 }),
        )
        .map(([digits, point, power]) => {
          const all = String(digits).padStart(point + 1, '0');
          const at = all.length - point;
          return `-${all.slice(0, at)}${point === 0 ? '' : `.${all.slice(at)}`}e${power}`;
        }),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc
        .tuple(
          fc.double({ noNaN: true, noDefaultInfinity: true }),
          fc.integer({ min: 14, max: 19 }),
        )
        .map(([value, digits]) => value.toPrecision(digits)),
      fc
        .tuple(fc.double({ min: -1e20, max: 1e20, noNaN: true }), fc.nat(8))
        .map(([value, digits]) => value.toFixed(digits)),
    );
    fc.assert(
      fc.property(text, (number) => {
        // Smaller numbers are left out, because doubles near zero have fewer digits than other doubles.
        fc.pre(Number(number) === 0 || Math.abs(Number(number)) > 1e-307);
        const isKept = isExactByAllNotations(number);
        expect(quoteInexactNumbers(`[${number}]`)).toBe(isKept ? `[${number}]` : `["${number}"]`);
      }),
      { numRuns: 2000, examples: [['85785998833280.62']] },
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
