import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { SignatureMistake } from './signature-mistake.js';
import { PRESETS } from './verify-preset.js';
import { isTimely, standardKey, TOLERANCE_SECONDS } from './verify-webhook.js';

const HASHES: Readonly<Record<number, string>> = { 20: 'sha1', 48: 'sha384', 64: 'sha512' };
const PREFIX = /^(?:hmac-?)?sha-?(?:1|256|384|512)\s*[=:,]\s*|^v1\s*[=:,]\s*|^bearer\s+/i;
const MAX_SIGNATURES = 4;
const MAX_DEPTH = 64;

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

interface Candidate<T> {
  value: T;
  mistakes: SignatureMistake[];
}

/** Returns the sender's mistakes, at least one. Tries the usual mistakes until one of them explains the signature. */
export function diagnose(refused: RefusedSignature): SignatureMistake[] {
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
  for (const { mac, mistakes } of signatures) {
    const found = search(refused, mac, isStandard, stamp);
    if (!found) continue;
    const all = [...mistakes, ...found];
    return all.length > 0 ? all : [timeMistake(refused, isStandard)];
  }
  return [...signatures[0]!.mistakes, 'no_match'];
}

/**
 * Returns the mistake of a delivery without a signature. The sender may be a provider whose name is missing in the
 * trigger.
 */
function missingMistake(headers: IncomingHttpHeaders): SignatureMistake {
  const isProvider = Object.values(PRESETS).some(({ header }) => headers[header] !== undefined);
  return isProvider ? 'provider_signature' : 'missing_signature';
}

function search(
  refused: RefusedSignature,
  mac: Buffer,
  isStandard: boolean,
  stamp: string | undefined,
): SignatureMistake[] | undefined {
  const hash = HASHES[mac.length];
  const hashMistakes: SignatureMistake[] = hash === undefined ? [] : ['other_hash'];
  const contents = contentsOf(refused.body, isStandard, stamp);
  const keys = [
    ...refused.secrets.flatMap((secret) => keysOf(secret, isStandard, [])),
    ...(refused.previous === null ? [] : keysOf(refused.previous, isStandard, ['previous_secret'])),
  ];
  for (const content of contents) {
    for (const key of keys) {
      if (!isMac(mac, key.value, content.value, hash)) continue;
      return [...hashMistakes, ...key.mistakes, ...content.mistakes];
    }
  }
  const [expected] = contents;
  for (const secret of refused.others) {
    // For secrets of other workflows, only the correct way to sign is tried: there may be many such secrets.
    const [key] = keysOf(secret, isStandard, ['other_workflow']);
    if (isMac(mac, key!.value, expected!.value, hash)) return [...hashMistakes, ...key!.mistakes];
  }
  for (const content of [expected!.value, refused.body]) {
    const plain = createHash(hash ?? 'sha256')
      .update(content)
      .digest();
    if (plain.length === mac.length && timingSafeEqual(plain, mac)) return ['no_key'];
  }
  return undefined;
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

/** Returns the contents that may have been signed, the right content first. */
function contentsOf(
  body: Buffer,
  isStandard: boolean,
  stamp: string | undefined,
): Candidate<Buffer>[] {
  const bodies = bodiesOf(body);
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

function bodiesOf(body: Buffer): Candidate<Buffer>[] {
  const text = body.toString('utf8');
  const bare = withoutLineEnds(text);
  const lineEnds = [`${bare}\n`, `${bare}\r\n`, bare].filter((other) => other !== text);
  return [
    { value: body, mistakes: [] },
    ...lineEnds.map((other): Candidate<Buffer> => {
      return { value: Buffer.from(other), mistakes: ['trailing_newline'] };
    }),
    ...jsonRenderings(text).map((other): Candidate<Buffer> => {
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

function isMac(mac: Buffer, key: Buffer, content: Buffer, hash = 'sha256'): boolean {
  const expected = createHmac(hash, key).update(content).digest();
  return expected.length === mac.length && timingSafeEqual(expected, mac);
}

/** Compares two texts in constant time. */
export function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a!, b!);
}

/** Returns why a signature with the right key and content was refused. */
function timeMistake(refused: RefusedSignature, isStandard: boolean): SignatureMistake {
  if (!isStandard) return refused.toleranceSeconds === undefined ? 'no_match' : 'no_time';
  const timestamp = String(refused.headers['webhook-timestamp']);
  const { receivedAt, toleranceSeconds = TOLERANCE_SECONDS } = refused;
  // Timestamps in seconds have ten digits. Timestamps in milliseconds have thirteen.
  if (timestamp.length === 13) return 'milliseconds';
  if (isTimely(timestamp, receivedAt, toleranceSeconds)) return 'no_match';
  return Number(timestamp) * 1000 < receivedAt.getTime() ? 'too_old' : 'too_new';
}

/**
 * Returns the other texts that common libraries write for the value of this JSON text. They are compact, indented, or
 * have sorted keys, the spaces of Python, or the escapes of Python and PHP. Returns none for text that is not JSON.
 */
function jsonRenderings(text: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  // Deep values are not indented, because their indentation would be many times as long as the body.
  if (!isShallow(value, MAX_DEPTH)) return [];
  const plain = [value, sorted(value)].flatMap((form) => {
    const compact = JSON.stringify(form);
    const indented = [2, 4, '\t'].map((indent) => JSON.stringify(form, null, indent));
    return [compact, spaced(form), ...indented];
  });
  const escaped = plain.map((rendering) => escapeNonAscii(rendering));
  const slashed = [plain[0]!, escaped[0]!].map((rendering) => rendering.replaceAll('/', '\\/'));
  const all = new Set([...plain, ...escaped, ...slashed]);
  all.delete(text);
  return [...all];
}

/**
 * Writes JSON on one line with spaces, such as `{"a": 1, "b": [2, 3]}`. Strings in JSON contain no line end, so each
 * line end begins an indentation.
 */
function spaced(value: unknown): string {
  return JSON.stringify(value, null, 1).replace(/,\n */g, ', ').replace(/\n */g, '');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]): [string, unknown] => [
    key,
    sorted(member),
  ]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((member) => isShallow(member, depth - 1));
}

function escapeNonAscii(text: string): string {
  return text.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
