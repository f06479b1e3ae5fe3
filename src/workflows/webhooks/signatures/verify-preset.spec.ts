import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import type { SignaturePreset } from '../../definitions/webhook-options.js';
import { diagnosePreset } from './diagnose-preset.js';
import type { SignatureMistake } from './signature-mistake.js';
import { twilioContents } from './twilio-contents.js';
import { isPresetSignatureValid } from './verify-preset.js';

interface Example {
  preset: SignaturePreset;
  secret: string;
  body: string;
  headers: IncomingHttpHeaders;
  url?: string;
  /** The time of the delivery in seconds. */
  at?: number;
}

const FORM = 'application/x-www-form-urlencoded';
const TWILIO_URL = 'https://mycompany.com/myapp.php?foo=1&bar=2';
const TWILIO_BODY =
  'Digits=1234&To=%2B18005551212&From=%2B14158675309&Caller=%2B14158675309&CallSid=CA1234567890ABCDE';
const SLACK_BODY =
  'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&' +
  'channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=' +
  'https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=' +
  '398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';

const mac = (secret: string, content: string, encoding: 'hex' | 'base64') =>
  createHmac('sha256', secret).update(content).digest(encoding);
const stripe = (body: string, secret: string, at: number) =>
  `t=${at},v1=${mac(secret, `${at}.${body}`, 'hex')},v0=${'6f'.repeat(32)}`;

/**
 * The examples of deliveries. Stripe, Shopify, Meta and Typeform publish no example with a secret. The signatures of
 * these providers follow the algorithms in their documents.
 */
const EXAMPLES: Record<string, Example> = {
  'the example of GitHub': {
    preset: 'github',
    secret: "It's a Secret to Everybody",
    body: 'Hello, World!',
    headers: {
      'x-hub-signature-256':
        'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    },
  },
  'the example of Slack': {
    preset: 'slack',
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    body: SLACK_BODY,
    at: 1_531_420_618,
    headers: {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
  },
  'the example of Twilio': {
    preset: 'twilio',
    secret: '12345',
    body: TWILIO_BODY.replaceAll('14158675309', '12349013030'),
    url: TWILIO_URL,
    headers: { 'content-type': FORM, 'x-twilio-signature': '0/KCTR6DLpKmkAf8muzZqo1nDgQ=' },
  },
  'the earlier example of Twilio': {
    preset: 'twilio',
    secret: '12345',
    body: TWILIO_BODY,
    url: TWILIO_URL,
    headers: { 'content-type': FORM, 'x-twilio-signature': 'RSOYDt4T1cUTdK1PDd93/VVr8B8=' },
  },
  'repeated fields of Twilio': {
    preset: 'twilio',
    secret: '12345',
    body: 'Sid=CA123&SidAccount=AC123&Digits=5678&Digits=1234&Digits=1234',
    url: TWILIO_URL,
    headers: { 'content-type': FORM, 'x-twilio-signature': 'IK+Dwps556ElfBT0I3Rgjkr1wJU=' },
  },
  'a body of Twilio, whose URL contains the SHA-256 of the body': {
    preset: 'twilio',
    secret: '12345',
    body: '{"property": "value", "boolean": true}',
    url: `${TWILIO_URL}&bodySHA256=0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620`,
    headers: {
      'content-type': 'application/json',
      'x-twilio-signature': 'a9nBmqA0ju/hNViExpshrM61xv4=',
    },
  },
  'a delivery of Stripe': {
    preset: 'stripe',
    secret: 'whsec_the secret of the endpoint',
    body: '{"id": "evt_1", "object": "event"}',
    at: 1_492_774_577,
    headers: {
      'stripe-signature': stripe(
        '{"id": "evt_1", "object": "event"}',
        'whsec_the secret of the endpoint',
        1_492_774_577,
      ),
    },
  },
  'a delivery of Shopify': {
    preset: 'shopify',
    secret: 'the client secret of the app',
    body: '{"id":820982911946154508}',
    headers: {
      'x-shopify-hmac-sha256': mac(
        'the client secret of the app',
        '{"id":820982911946154508}',
        'base64',
      ),
    },
  },
  'a delivery of Typeform': {
    preset: 'typeform',
    secret: 'the secret of the webhook',
    body: '{"event_id":"LtWXD3crgy"}',
    headers: {
      'typeform-signature': `sha256=${mac('the secret of the webhook', '{"event_id":"LtWXD3crgy"}', 'base64')}`,
    },
  },
  'a delivery of Meta': {
    preset: 'meta',
    secret: 'the secret of the app',
    body: '{"object":"page","text":"\\u00fc"}',
    headers: {
      'x-hub-signature-256': `sha256=${mac('the secret of the app', '{"object":"page","text":"\\u00fc"}', 'hex')}`,
    },
  },
};
const NOW = 1_764_000_000;

const verify = (example: Example, more: { secrets?: string[]; seconds?: number } = {}) => {
  const { preset, body, headers, url = 'https://example.com/', at = NOW, secret } = example;
  const now = new Date((at + (more.seconds ?? 0)) * 1000);
  const request = { body: Buffer.from(body), headers, url };
  return isPresetSignatureValid(preset, request, more.secrets ?? [secret], now);
};

describe(isPresetSignatureValid, () => {
  it.each(Object.entries(EXAMPLES))('accepts %s', (_name, example) => {
    expect(verify(example)).toBe(true);
    expect(verify(example, { secrets: ['a new secret', example.secret] })).toBe(true);
  });

  it.each(Object.entries(EXAMPLES))('refuses a delivery that differs from %s', (_name, example) => {
    const header = Object.keys(example.headers).find((name) => /sign|hmac/.test(name))!;
    const [given] = String(example.headers[header]).split(',v0=');
    const without = Object.fromEntries(
      Object.entries(example.headers).filter(([name]) => name !== header),
    );
    expect(verify({ ...example, body: `${example.body} ` })).toBe(false);
    expect(verify(example, { secrets: ['another secret'] })).toBe(false);
    expect(verify(example, { secrets: [] })).toBe(false);
    expect(verify({ ...example, headers: without })).toBe(false);
    for (const wrong of ['', 'x', given!.slice(0, -2), `${given}0`, ` ${given}`]) {
      const headers = { ...example.headers, [header]: wrong };
      expect(verify({ ...example, headers }), wrong).toBe(false);
    }
  });

  it.each(['the example of Slack', 'a delivery of Stripe'])(
    'refuses %s more than 300 seconds before or after its time',
    (name) => {
      const example = EXAMPLES[name]!;
      expect(verify(example, { seconds: 300 })).toBe(true);
      expect(verify(example, { seconds: 301 })).toBe(false);
      expect(verify(example, { seconds: -301 })).toBe(false);
    },
  );

  it('accepts one right signature of Stripe among several, which Stripe sends while it replaces a secret', () => {
    const { body, secret, at, preset } = EXAMPLES['a delivery of Stripe']!;
    const right = stripe(body, secret, at!);
    const signature = right.replace(',', `,v1=${'0'.repeat(64)},`);
    expect(verify({ preset, body, secret, at, headers: { 'stripe-signature': signature } })).toBe(
      true,
    );
  });

  it('refuses another address and a body that Twilio did not sign', () => {
    const form = EXAMPLES['the example of Twilio']!;
    const json = EXAMPLES['a body of Twilio, whose URL contains the SHA-256 of the body']!;
    expect(verify({ ...form, url: TWILIO_URL.replace('bar=2', 'bar=3') })).toBe(false);
    expect(verify({ ...json, body: '{}' })).toBe(false);
    // The signature of a request without a body must not be valid for a request with a body.
    const bare = createHmac('sha1', '12345').update(TWILIO_URL).digest('base64');
    const headers = { 'content-type': 'application/json', 'x-twilio-signature': bare };
    expect(verify({ ...form, headers, body: '' })).toBe(true);
    expect(verify({ ...form, headers, body: '{}' })).toBe(false);
  });

  it('accepts an address that Twilio signed with or without its port', () => {
    const example = EXAMPLES['the example of Twilio']!;
    const url = TWILIO_URL.replace('.com', '.com:8443');
    expect(verify({ ...example, url })).toBe(true);
    const signed = TWILIO_URL.replace('.com', '.com:443');
    const signature = createHmac('sha1', '12345').update(signed).digest('base64');
    const headers = { 'x-twilio-signature': signature };
    expect(verify({ ...example, headers, body: '', url: TWILIO_URL })).toBe(true);
  });

  it('refuses a form with more than 1,000 fields immediately', () => {
    const example = EXAMPLES['the example of Twilio']!;
    expect(verify({ ...example, body: 'a&'.repeat(500_000) })).toBe(false);
  });

  it('accepts a signed form of Twilio of 128 KiB, and refuses a larger one', () => {
    const signed = (length: number): Example => {
      const text = 'x'.repeat(length - 'Body='.length);
      const signature = createHmac('sha1', '12345').update(`${TWILIO_URL}Body${text}`);
      const headers = { 'content-type': FORM, 'x-twilio-signature': signature.digest('base64') };
      return { ...EXAMPLES['the example of Twilio']!, body: `Body=${text}`, headers };
    };
    expect(verify(signed(128 * 1024))).toBe(true);
    expect(verify(signed(128 * 1024 + 1))).toBe(false);
  });
});

describe(diagnosePreset, () => {
  const look = (example: Example, more: object = {}) =>
    diagnosePreset(example.preset, {
      body: Buffer.from(example.body),
      headers: example.headers,
      url: example.url ?? 'https://example.com/',
      receivedAt: new Date((example.at ?? NOW) * 1000),
      secrets: [example.secret],
      previous: null,
      others: [],
      ...more,
    });
  const example = EXAMPLES['a delivery of Stripe']!;
  const late = new Date((example.at! + 400) * 1000);
  const early = new Date((example.at! - 400) * 1000);

  it.each<[string, object, SignatureMistake]>([
    ['no signature', { headers: {} }, 'missing_signature'],
    ['the secret', { headers: { 'stripe-signature': example.secret } }, 'secret_sent'],
    ['words', { headers: { 'stripe-signature': 'what' } }, 'malformed'],
    ['an old time', { receivedAt: late }, 'too_old'],
    ['a time in the future', { receivedAt: early }, 'too_new'],
    ['a previous secret', { secrets: ['new'], previous: example.secret }, 'previous_secret'],
    ['another workflow', { secrets: ['new'], others: [example.secret] }, 'other_workflow'],
    ['an unknown secret', { secrets: ['new'] }, 'no_match'],
    ['another body', { body: Buffer.from('{}') }, 'no_match'],
  ])('names the provider and the mistake: %s', (_what, more, mistake) => {
    expect(look(example, more)).toEqual(['expects_stripe', mistake]);
  });

  it('reports a challenge of Meta with another token as a mistake in the token', () => {
    const url = 'https://example.com/?hub.mode=subscribe&hub.challenge=1&hub.verify_token=x';
    expect(look(EXAMPLES['a delivery of Meta']!, { headers: {}, url })).toEqual([
      'expects_meta',
      'verify_token',
    ]);
  });
});

it('twilioContents reads each field once, even in a form with a thousand different names', () => {
  const names = Array.from({ length: 1000 }, (_, index) => `name${index}`);
  const body = names.map((name) => `${name}=1`).join('&');
  const getAll = vi.spyOn(URLSearchParams.prototype, 'getAll');
  const request = { body: Buffer.from(body), headers: { 'content-type': FORM }, url: TWILIO_URL };
  const [contents] = twilioContents(request);
  const searches = getAll.mock.calls.length;
  getAll.mockRestore();
  expect(contents!.slice(1)).toEqual(names.toSorted().map((name) => `${name}1`));
  expect(searches).toBe(0);
});

it('twilioContents parses the form of a request once, however often its contents are needed', () => {
  const headers = { 'content-type': FORM };
  const request = { body: Buffer.from(TWILIO_BODY), headers, url: TWILIO_URL };
  expect(twilioContents(request)).toBe(twilioContents(request));
});
