import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { jsonRenderings } from './json-renderings.js';
import type { SignatureMistake } from './signature-mistake.js';
import { PRESETS } from './verify-preset.js';
import { isTimely, standardKey, TOLERANCE_SECONDS } from './verify-webhook.js';

const HASHES: Readonly<Record<number, string>> = { 20: 'sha1', 48: 'sha384', 64: 'sha512' };
const PREFIX = /^(?:hmac-?)?sha-?(?:1|256|384|512)\s*[=:,]\s*|^v1\s*[=:,]\s*|^bearer\s+/i;
const MAX_SIGNATURES = 4;

/** A delivery with a refused signature, and the secrets to compare it with. */
export interface RefusedSignature {
  body: Buffer;
  headers: IncomingHttpHeaders;
  receivedAt: Date;
  toleranceSeconds?: number;
  /** The secrets that were valid when the delivery was received. */
  secrets: readonly string[];
  /** The previous secret, if it was no longer valid. */
  previous: string | null;
  /** The secrets of other workflows of the organization. */
  others: readonly string[];
}

interface Signature {
  mac: Buffer;
  mistakes: SignatureMistake[];
}

/** Work that can stop at each `yield`, and returns its result at the end. */
type Steps<T> = Generator<undefined, T>;

interface Candidate<T> {
  value: T;
  mistakes: SignatureMistake[];
}

/**
 * Returns at least one signature mistake of the sender. Tries the usual mistakes until one of them explains the
 * signature. Each step takes a few milliseconds, so that the caller can serve requests between two steps.
 */
export function* diagnose(refused: RefusedSignature): Steps<SignatureMistake[]> {
  const { headers } = refused;
  const hex = headers['x-webhook-signature'];
  const list = headers['webhook-signature'];
  const isStandard =
    list !== undefined && (hex === undefined || refused.toleranceSeconds !== undefined);
  const given = String((isStandard ? list : hex) ?? '');
  if (given === '') return [missingMistake(headers)];
  const sent = given.replace(PREFIX, '');
  const known = [...refused.secrets, refused.previous].filter((secret) => secret !== null);
  if (known.some((secret) => isSame(secret, sent) || isSame(secret, given))) return ['secret_sent'];
  const stamp = stampOf(headers);
  if (isStandard && !stamp) return ['missing_header'];
  const signatures = isStandard ? standardSignatures(given) : hexSignatures(given);
  if (signatures.length === 0) return ['malformed'];
  const found = yield* search(refused, signatures, isStandard, stamp);
  if (!found) return [...signatures[0]!.mistakes, 'no_match'];
  return found.length > 0 ? found : [timeMistake(refused, isStandard)];
}

/**
 * Returns the mistake of a delivery without a signature. The sender may be a provider whose name is missing in the
 * trigger.
 */
function missingMistake(headers: IncomingHttpHeaders): SignatureMistake {
  const isProvider = Object.values(PRESETS).some(({ header }) => headers[header] !== undefined);
  return isProvider ? 'provider_signature' : 'missing_signature';
}

/** Tries each content once for all signatures, because contents are large and there may be many keys. */
function* search(
  refused: RefusedSignature,
  signatures: readonly Signature[],
  isStandard: boolean,
  stamp: string | undefined,
): Steps<SignatureMistake[] | undefined> {
  const contents = yield* contentsOf(refused.body, isStandard, stamp);
  const keys = [
    ...refused.secrets.flatMap((secret) => keysOf(secret, isStandard, [])),
    ...(refused.previous === null ? [] : keysOf(refused.previous, isStandard, ['previous_secret'])),
  ];
  for (const content of contents) {
    for (const key of keys) {
      const signature = findSigned(signatures, (hash) => macOf(key.value, content.value, hash));
      if (signature) return [...mistakesOf(signature), ...key.mistakes, ...content.mistakes];
      yield;
    }
  }
  const [expected] = contents;
  for (const secret of refused.others) {
    // For secrets of other workflows, only the correct way to sign is tried: there may be many such secrets.
    const [key] = keysOf(secret, isStandard, ['other_workflow']);
    const signature = findSigned(signatures, (hash) => macOf(key!.value, expected!.value, hash));
    if (signature) return [...mistakesOf(signature), ...key!.mistakes];
    yield;
  }
  for (const content of [expected!.value, refused.body]) {
    const signature = findSigned(signatures, (hash) => createHash(hash).update(content).digest());
    if (signature) return [...mistakesOf(signature), 'no_key'];
  }
  return undefined;
}

/** Returns the first signature that equals the result of its hash function. Computes each hash function once. */
function findSigned(
  signatures: readonly Signature[],
  compute: (hash: string) => Buffer,
): Signature | undefined {
  const computed = new Map<string, Buffer>();
  return signatures.find(({ mac }) => {
    const hash = HASHES[mac.length] ?? 'sha256';
    const expected = computed.get(hash) ?? compute(hash);
    computed.set(hash, expected);
    return expected.length === mac.length && timingSafeEqual(expected, mac);
  });
}

function macOf(key: Buffer, content: Buffer, hash: string): Buffer {
  return createHmac(hash, key).update(content).digest();
}

function mistakesOf({ mac, mistakes }: Signature): SignatureMistake[] {
  return HASHES[mac.length] === undefined ? mistakes : [...mistakes, 'other_hash'];
}

/** Returns the keys that a sender may have derived from a secret, the right key first. */
function keysOf(
  secret: string,
  isStandard: boolean,
  mistakes: SignatureMistake[],
): Candidate<Buffer>[] {
  const text = Buffer.from(secret);
  const decoded = standardKey(secret);
  const rest = Buffer.from(secret.replace(/^whsec_/, ''));
  const [right, wrong] = isStandard ? [decoded, [text, rest]] : [text, [decoded, rest]];
  return [
    { value: right, mistakes },
    ...wrong
      .filter((key) => !key.equals(right))
      .map((value) => ({ value, mistakes: [...mistakes, 'key_encoding' as const] })),
  ];
}

/** Finds the contents that may have been signed, the right content first. */
function* contentsOf(
  body: Buffer,
  isStandard: boolean,
  stamp: string | undefined,
): Steps<Candidate<Buffer>[]> {
  const bodies = yield* bodiesOf(body);
  const stamped = stamp === undefined ? [] : bodies.map((content) => withStamp(content, stamp));
  const [right, wrong] = isStandard ? [stamped, bodies] : [bodies, stamped];
  return [
    ...right,
    ...wrong.map(({ value, mistakes }) => ({
      value,
      mistakes: ['other_content' as const, ...mistakes],
    })),
  ];
}

function* bodiesOf(body: Buffer): Steps<Candidate<Buffer>[]> {
  const text = body.toString('utf8');
  const bare = withoutLineEnds(text);
  const lineEnds = [`${bare}\n`, `${bare}\r\n`, bare].filter((other) => other !== text);
  const rendered = yield* jsonRenderings(text);
  return [
    { value: body, mistakes: [] },
    ...lineEnds.map((other): Candidate<Buffer> => {
      return { value: Buffer.from(other), mistakes: ['trailing_newline'] };
    }),
    ...rendered.map((other): Candidate<Buffer> => {
      return { value: Buffer.from(other), mistakes: ['reserialized'] };
    }),
  ];
}

/**
 * Returns the text without line ends at its end. A regular expression would search again from each line end of the
 * text.
 */
function withoutLineEnds(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r')) end -= 1;
  return text.slice(0, end);
}

function withStamp({ value, mistakes }: Candidate<Buffer>, stamp: string): Candidate<Buffer> {
  return { value: Buffer.concat([Buffer.from(stamp), value]), mistakes };
}

function stampOf(headers: IncomingHttpHeaders): string | undefined {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const isThere =
    typeof id === 'string' && typeof timestamp === 'string' && /^\d+$/.test(timestamp);
  return isThere ? `${id}.${timestamp}.` : undefined;
}

function hexSignatures(given: string): Signature[] {
  const sent = given.replace(PREFIX, '').trim();
  const mistakes: SignatureMistake[] = sent === given ? [] : ['prefix'];
  const mac = fromHex(sent);
  if (mac) return [{ mac, mistakes }];
  const decoded = fromBase64(sent);
  if (!decoded) return [];
  // Some senders encode the hexadecimal text in base64.
  const inner = fromHex(decoded.toString('latin1'));
  return [{ mac: inner ?? decoded, mistakes: [...mistakes, 'base64'] }];
}

function standardSignatures(given: string): Signature[] {
  return given.split(' ', MAX_SIGNATURES).flatMap((entry): Signature[] => {
    const sent = entry.replace(/^v1,/, '').replace(PREFIX, '');
    const mistakes: SignatureMistake[] = entry.startsWith('v1,') ? [] : ['no_version'];
    const hex = fromHex(sent);
    if (hex) return [{ mac: hex, mistakes: [...mistakes, 'hex'] }];
    const mac = fromBase64(sent);
    return mac ? [{ mac, mistakes }] : [];
  });
}

function fromHex(text: string): Buffer | undefined {
  const isHex = /^(?:[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$/i.test(text);
  return isHex ? Buffer.from(text, 'hex') : undefined;
}

function fromBase64(text: string): Buffer | undefined {
  if (text.length > 200 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined;
  const decoded = Buffer.from(text, 'base64');
  return decoded.length === 32 || HASHES[decoded.length] !== undefined ? decoded : undefined;
}

/** Compares two texts in constant time. */
export function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a!, b!);
}

/** Returns the reason why a signature with the right key and content was refused. */
function timeMistake(refused: RefusedSignature, isStandard: boolean): SignatureMistake {
  if (!isStandard) return refused.toleranceSeconds === undefined ? 'no_match' : 'no_time';
  const timestamp = String(refused.headers['webhook-timestamp']);
  const { receivedAt, toleranceSeconds = TOLERANCE_SECONDS } = refused;
  // Timestamps in seconds have ten digits. Timestamps in milliseconds have thirteen.
  if (timestamp.length === 13) return 'milliseconds';
  if (isTimely(timestamp, receivedAt, toleranceSeconds)) return 'no_match';
  return Number(timestamp) * 1000 < receivedAt.getTime() ? 'too_old' : 'too_new';
}
