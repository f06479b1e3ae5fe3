import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { standardKey } from './standard-signature.js';
import { verifyWebhook } from './verify-webhook.js';

// The example that the libraries of Standard Webhooks are tested with.
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
    ['another before it', `v1,${'A'.repeat(43)}= ${VALID}`],
    [
      'another version before it',
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
    ['a comma between', `v1,${'A'.repeat(43)}=,${VALID}`],
    ['the seventeenth of a list', `${'v1,x '.repeat(16)}${VALID}`],
  ])('refuses %s', (_what, list) => {
    expect(verify({ 'webhook-signature': list })).toBeUndefined();
  });

  it('refuses every other id, time and body', () => {
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

  it('takes a time at most 300 seconds away, in both directions, or what the workflow says', () => {
    for (const offset of [300, -300]) expect(verify({}, BODY, offset)).toBe('standard');
    for (const offset of [301, -301]) expect(verify({}, BODY, offset)).toBeUndefined();
    for (const offset of [10, -10]) expect(verify({}, BODY, offset, 10)).toBe('standard');
    for (const offset of [11, -11]) expect(verify({}, BODY, offset, 10)).toBeUndefined();
    expect(verify({}, BODY, 400, 400)).toBe('standard');
  });

  it('goes by x-webhook-signature where it is there and no time is asked for', () => {
    const hex = createHmac('sha256', SECRET).update(BODY).digest('hex');
    expect(verify({ 'x-webhook-signature': hex }, BODY, 9999)).toBe('hex');
    expect(verify({ 'x-webhook-signature': 'junk' })).toBeUndefined();
    expect(verify({ 'x-webhook-signature': hex }, BODY, 9999, 300)).toBeUndefined();
    expect(verify({ 'x-webhook-signature': 'junk' }, BODY, 0, 300)).toBe('standard');
  });

  it('refuses any one bit that is flipped, and 10,000 random signatures', () => {
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
      { numRuns: 10_000 },
    );
  });
});

describe(standardKey, () => {
  it('is what is behind whsec_ in base64, and any other text as it is', () => {
    expect(standardKey(SECRET)).toEqual(Buffer.from(SECRET.slice(6), 'base64'));
    for (const text of ['a secret of sixteen', 'whsec_not base64 !!', 'whsec_AAAAAAAAAA==']) {
      expect(standardKey(text)).toEqual(Buffer.from(text));
    }
  });
});
