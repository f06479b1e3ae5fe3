import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Evaluation } from '../../../liquid/evaluation.js';
import { diagnose, type RefusedSignature } from './diagnose.js';
import type { SignatureMistake } from './signature-mistake.js';
import { standardKey } from './verify-webhook.js';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const PREVIOUS = 'the previous secret';
const OTHER = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const BODY = '{"a": 1,  "b": "ü/x", "list": [1, {"z": 1, "y": 2}]}';
const VALUE: unknown = JSON.parse(BODY);
const NOW = 1_764_000_000;

const hmac = (content: string, key: string | Buffer = SECRET, hash = 'sha256') =>
  createHmac(hash, key).update(content).digest();
const hex = (content: string, key: string | Buffer = SECRET) => hmac(content, key).toString('hex');
const base64 = (content: string, key: string | Buffer = standardKey(SECRET)) =>
  hmac(content, key).toString('base64');

const run = (refused: RefusedSignature): SignatureMistake[] => {
  const steps = new Evaluation<SignatureMistake[]>(diagnose(refused));
  steps.run(Infinity);
  return steps.result;
};
const look = (headers: Record<string, string>, more: Partial<RefusedSignature> = {}) =>
  run({
    body: Buffer.from(BODY),
    headers,
    receivedAt: new Date(NOW * 1000),
    secrets: [SECRET],
    previous: PREVIOUS,
    others: ['some other secret', OTHER],
    ...more,
  });

/** JSON as other languages write it. */
const PYTHON = '{"a": 1, "b": "\\u00fc/x", "list": [1, {"z": 1, "y": 2}]}';
const PHP = '{"a":1,"b":"\\u00fc\\/x","list":[1,{"z":1,"y":2}]}';
const SORTED = '{"a":1,"b":"ü/x","list":[1,{"y":2,"z":1}]}';

describe('diagnose of x-webhook-signature', () => {
  it.each<[string, string, SignatureMistake[]]>([
    ['no signature', '', ['missing_signature']],
    ['the secret', SECRET, ['secret_sent']],
    ['the secret as a bearer token', `Bearer ${SECRET}`, ['secret_sent']],
    ['the previous secret itself', PREVIOUS, ['secret_sent']],
    ['words', 'not a signature', ['malformed']],
    ['a truncated signature', hex(BODY).slice(1), ['malformed']],
    ['two signatures', `${hex(BODY)}, ${hex(BODY)}`, ['malformed']],
    ['a prefix', `sha256=${hex(BODY)}`, ['prefix']],
    ['another prefix', `v1=${hex(BODY)}`, ['prefix']],
    ['base64', hmac(BODY).toString('base64'), ['base64']],
    ['base64url', hmac(BODY).toString('base64url'), ['base64']],
    ['base64 of the digits', Buffer.from(hex(BODY)).toString('base64'), ['base64']],
    ['compact JSON', hex(JSON.stringify(VALUE)), ['reserialized']],
    ['indented JSON', hex(JSON.stringify(VALUE, null, 2)), ['reserialized']],
    ['the JSON of Python', hex(PYTHON), ['reserialized']],
    ['the JSON of PHP', hex(PHP), ['reserialized']],
    ['JSON with sorted keys', hex(SORTED), ['reserialized']],
    ['an additional line end', hex(`${BODY}\n`), ['trailing_newline']],
    ['an additional CRLF', hex(`${BODY}\r\n`), ['trailing_newline']],
    ['the previous secret', hex(BODY, PREVIOUS), ['previous_secret']],
    ['the secret of another workflow', hex(BODY, OTHER), ['other_workflow']],
    ['the decoded secret', hex(BODY, standardKey(SECRET)), ['key_encoding']],
    ['the secret without whsec_', hex(BODY, SECRET.slice(6)), ['key_encoding']],
    ['SHA-1', hmac(BODY, SECRET, 'sha1').toString('hex'), ['other_hash']],
    ['SHA-512', hmac(BODY, SECRET, 'sha512').toString('hex'), ['other_hash']],
    ['a hash without key', createHash('sha256').update(BODY).digest('hex'), ['no_key']],
    ['another key', hex(BODY, 'who knows'), ['no_match']],
    ['another body', hex('{}'), ['no_match']],
    [
      'several mistakes',
      `sha256=${hmac(PYTHON, PREVIOUS).toString('base64')}`,
      ['prefix', 'base64', 'previous_secret', 'reserialized'],
    ],
    ['a prefix and another body', `sha256=${hex('{}')}`, ['prefix', 'no_match']],
  ])('recognizes the mistake: %s', (_what, signature, expected) => {
    expect(look({ 'x-webhook-signature': signature })).toEqual(expected);
  });

  it('recognizes a line end that was sent but not signed', () => {
    const body = Buffer.from(`${BODY}\n`);
    expect(look({ 'x-webhook-signature': hex(BODY) }, { body })).toEqual(['trailing_newline']);
  });

  it('recognizes the signed content of Standard Webhooks', () => {
    const signed = hex(`msg_1.${NOW}.${BODY}`);
    const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(NOW) };
    expect(look({ ...headers, 'x-webhook-signature': signed })).toEqual(['other_content']);
  });

  it('reports that a workflow with a tolerance needs a signed timestamp', () => {
    const headers = { 'x-webhook-signature': hex(BODY) };
    expect(look(headers, { toleranceSeconds: 60 })).toEqual(['no_time']);
  });

  it('reports no_match for a body that is not JSON', () => {
    const body = Buffer.from([0xff, 0x00, 0x7b]);
    expect(look({ 'x-webhook-signature': hex('x') }, { body })).toEqual(['no_match']);
  });
});

describe('diagnose of webhook-signature', () => {
  const stamped = (content: string, timestamp: number | string = NOW) =>
    `msg_1.${timestamp}.${content}`;
  const send = (signature: string, timestamp: number | string = NOW) =>
    look({
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signature,
    });

  it.each<[string, string, SignatureMistake[]]>([
    ['no version', base64(stamped(BODY)), ['no_version']],
    ['hexadecimal', `v1,${hex(stamped(BODY), standardKey(SECRET))}`, ['hex']],
    ['the secret as text', `v1,${base64(stamped(BODY), SECRET)}`, ['key_encoding']],
    ['the body alone', `v1,${base64(BODY)}`, ['other_content']],
    ['the previous secret', `v1,${base64(stamped(BODY), PREVIOUS)}`, ['previous_secret']],
    ['another workflow', `v1,${base64(stamped(BODY), standardKey(OTHER))}`, ['other_workflow']],
    ['compact JSON', `v1,${base64(stamped(JSON.stringify(VALUE)))}`, ['reserialized']],
    ['a line end', `v1,${base64(stamped(`${BODY}\n`))}`, ['trailing_newline']],
    [
      'the second signature of a list',
      `v1,${base64('x')} v1,${base64(stamped(`${BODY}\n`))}`,
      ['trailing_newline'],
    ],
    ['the secret', SECRET, ['secret_sent']],
    ['words', 'v1,what', ['malformed']],
    ['another key', `v1,${base64(stamped(BODY), 'who knows')}`, ['no_match']],
  ])('recognizes the mistake: %s', (_what, signature, expected) => {
    expect(send(signature)).toEqual(expected);
  });

  it.each<[string, number, SignatureMistake]>([
    ['too old', NOW - 301, 'too_old'],
    ['in the future', NOW + 301, 'too_new'],
    ['in milliseconds', NOW * 1000, 'milliseconds'],
  ])('recognizes a timestamp with the mistake: %s', (_what, timestamp, expected) => {
    expect(send(`v1,${base64(stamped(BODY, timestamp))}`, timestamp)).toEqual([expected]);
  });

  it('reports missing_header when webhook-id and webhook-timestamp are missing', () => {
    expect(look({ 'webhook-signature': `v1,${base64(BODY)}` })).toEqual(['missing_header']);
  });
});
