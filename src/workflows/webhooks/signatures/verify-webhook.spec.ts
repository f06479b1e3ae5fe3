import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IS_THOROUGH } from '../../../../test/support/thorough.js';
import { isSignatureValid, standardKey, verifyWebhook } from './verify-webhook.js';

const HEX_SECRET = "It's a Secret to Everybody";
const HEX_BODY = Buffer.from('Hello, World!');
const HEX_VALID = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';

// The vectors are test cases 1, 2 and 4 of RFC 4231.
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
  it('accepts the published example of GitHub, in lowercase and in uppercase', () => {
    expect(isSignatureValid(HEX_BODY, HEX_SECRET, HEX_VALID)).toBe(true);
    expect(isSignatureValid(HEX_BODY, HEX_SECRET, HEX_VALID.toUpperCase())).toBe(true);
  });

  it.each(RFC_4231)('agrees with RFC 4231 for the key %s', (key, body, expected) => {
    const secret = Buffer.from(key, 'hex');
    const text = secret.toString('utf8');
    // Secrets are text. So a test vector with a key that is not text can check only createHmac.
    const isText = Buffer.from(text).equals(secret);
    const mac = createHmac('sha256', secret).update(Buffer.from(body, 'hex')).digest('hex');
    expect(mac).toBe(expected);
    if (isText) expect(isSignatureValid(Buffer.from(body, 'hex'), text, expected)).toBe(true);
  });

  it('refuses a signature with any one of its 256 bits flipped', () => {
    for (let bit = 0; bit < 256; bit += 1) {
      const mac = Buffer.from(HEX_VALID, 'hex');
      mac[bit >> 3] = mac[bit >> 3]! ^ (1 << (bit & 7));
      expect(isSignatureValid(HEX_BODY, HEX_SECRET, mac.toString('hex'))).toBe(false);
    }
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['63 characters', HEX_VALID.slice(0, 63)],
    ['65 characters', `${HEX_VALID}0`],
    ['62 characters', HEX_VALID.slice(0, 62)],
    ['66 characters', `${HEX_VALID}00`],
    ['a prefix', `sha256=${HEX_VALID}`],
    ['a space before the signature', ` ${HEX_VALID}`],
    ['a space after the signature', `${HEX_VALID} `],
    ['a line end', `${HEX_VALID}\n`],
    ['junk at the end', `${HEX_VALID.slice(0, 62)}zz`],
    ['two in one header', `${HEX_VALID}, ${HEX_VALID}`],
    ['full-width digits', HEX_VALID.replaceAll('7', '７')],
    ['base64', Buffer.from(HEX_VALID, 'hex').toString('base64')],
    ['a list of headers', [HEX_VALID]],
  ])('refuses a signature that is %s', (_what, header) => {
    expect(isSignatureValid(HEX_BODY, HEX_SECRET, header)).toBe(false);
  });

  it.each([
    ['an additional byte', Buffer.from('Hello, World!\n')],
    ['a missing byte', HEX_BODY.subarray(0, -1)],
    ['a byte order mark', Buffer.from('\ufeffHello, World!')],
    ['nothing', Buffer.alloc(0)],
  ])('refuses a body with %s', (_what, body) => {
    expect(isSignatureValid(body, HEX_SECRET, HEX_VALID)).toBe(false);
  });

  it('refuses random signatures', () => {
    const hex = fc.string({
      unit: fc.constantFrom(...'0123456789abcdef'),
      minLength: 64,
      maxLength: 64,
    });
    fc.assert(
      fc.property(hex, (header) => !isSignatureValid(HEX_BODY, HEX_SECRET, header)),
      { numRuns: IS_THOROUGH ? 10_000 : 500 },
    );
  });
});

// The libraries of Standard Webhooks are tested with this example.
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const TIMESTAMP = 1614265330;
const BODY = Buffer.from('{"test": 2432232314}');
const VALID = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
const HEADERS = {
  'webhook-id': ID,
  'webhook-timestamp': String(TIMESTAMP),
  'webhook-signature': VALID,
};

const verify = (headers: object, body: Uint8Array = BODY, offset = 0, tolerance?: number) =>
  verifyWebhook(
    body,
    { ...HEADERS, ...headers },
    [SECRET],
    new Date((TIMESTAMP + offset) * 1000),
    tolerance,
  );

describe(verifyWebhook, () => {
  it('accepts the published example', () => {
    expect(verify({})).toBe('standard');
  });

  it.each([
    ['another signature before it', `v1,${'A'.repeat(43)}= ${VALID}`],
    [
      'a signature of another version before it',
      `v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZ ${VALID}`,
    ],
  ])('accepts a list with %s', (_what, list) => {
    expect(verify({ 'webhook-signature': list })).toBe('standard');
  });

  it.each([
    ['no list', undefined],
    ['an empty list', ''],
    ['the signature alone', VALID.slice(3)],
    ['another version', `v2${VALID.slice(2)}`],
    ['no padding', VALID.slice(0, -1)],
    ['hexadecimal', `v1,${Buffer.from(VALID.slice(3), 'base64').toString('hex')}`],
    ['base64url', VALID.replaceAll('+', '-').replaceAll('/', '_')],
    ['junk at the end', `${VALID}x`],
    ['a comma between signatures', `v1,${'A'.repeat(43)}=,${VALID}`],
    ['a valid signature in place 17 of a list', `${'v1,x '.repeat(16)}${VALID}`],
  ])('refuses %s', (_what, list) => {
    expect(verify({ 'webhook-signature': list })).toBeUndefined();
  });

  it('refuses a signature for another id, timestamp or body', () => {
    for (const id of [undefined, '', `${ID}x`, ID.toLowerCase(), `${ID}.`, `${ID} x`]) {
      expect(verify({ 'webhook-id': id })).toBeUndefined();
    }
    for (const time of [undefined, '', '1614265331', '+1614265330', '1614265330.0', '0x60379f32']) {
      expect(verify({ 'webhook-timestamp': time })).toBeUndefined();
    }
    for (const body of ['{"test":2432232314}', '{"test": 2432232314}\n', '']) {
      expect(verify({}, Buffer.from(body))).toBeUndefined();
    }
  });

  it('accepts a timestamp that differs from now by at most 300 seconds, or by at most the tolerance of the workflow', () => {
    for (const offset of [300, -300]) expect(verify({}, BODY, offset)).toBe('standard');
    for (const offset of [301, -301]) expect(verify({}, BODY, offset)).toBeUndefined();
    for (const offset of [10, -10]) expect(verify({}, BODY, offset, 10)).toBe('standard');
    for (const offset of [11, -11]) expect(verify({}, BODY, offset, 10)).toBeUndefined();
    expect(verify({}, BODY, 400, 400)).toBe('standard');
  });

  it('checks x-webhook-signature when it is present and the workflow sets no tolerance', () => {
    const hex = createHmac('sha256', SECRET).update(BODY).digest('hex');
    expect(verify({ 'x-webhook-signature': hex }, BODY, 9999)).toBe('hex');
    expect(verify({ 'x-webhook-signature': 'junk' })).toBeUndefined();
    expect(verify({ 'x-webhook-signature': hex }, BODY, 9999, 300)).toBeUndefined();
    expect(verify({ 'x-webhook-signature': 'junk' }, BODY, 0, 300)).toBe('standard');
  });

  it('refuses a signature with any one bit flipped, and random signatures', () => {
    const signature = (mac: Uint8Array) => `v1,${Buffer.from(mac).toString('base64')}`;
    for (let bit = 0; bit < 256; bit += 1) {
      const mac = Buffer.from(VALID.slice(3), 'base64');
      mac[bit >> 3] = mac[bit >> 3]! ^ (1 << (bit & 7));
      expect(verify({ 'webhook-signature': signature(mac) })).toBeUndefined();
    }
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (mac) => {
        return verify({ 'webhook-signature': signature(mac) }) === undefined;
      }),
      { numRuns: IS_THOROUGH ? 10_000 : 500 },
    );
  });
});

describe(standardKey, () => {
  it('decodes the base64 after whsec_, and returns the UTF-8 bytes of any other text', () => {
    expect(standardKey(SECRET)).toEqual(Buffer.from(SECRET.slice(6), 'base64'));
    for (const text of ['a secret of sixteen', 'whsec_not base64 !!', 'whsec_AAAAAAAAAA==']) {
      expect(standardKey(text)).toEqual(Buffer.from(text));
    }
  });
});
