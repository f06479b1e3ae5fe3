import type { CheckResult } from './sender-domain.entity.js';

const PREFIX = 'switchboard-verification=';

/** A TXT record that an organization must publish. */
export interface TextRecord {
  readonly name: string;
  readonly value: string;
}

/** Returns the record by which an organization proves that it owns the domain. */
export function ownershipRecord(domain: string, token: string): TextRecord {
  return { name: `_switchboard.${domain}`, value: `${PREFIX}${token}` };
}

/** Returns the record of a public DKIM key (RFC 6376, section 3.6.1). */
export function keyRecord(domain: string, selector: string, publicKey: string): TextRecord {
  return { name: `${selector}._domainkey.${domain}`, value: `v=DKIM1; k=rsa; p=${publicKey}` };
}

/** Returns the result of a look-up of the record of ownership. `texts` is undefined when no name server answered. */
export function checkOwnership(texts: readonly string[] | undefined, token: string): CheckResult {
  if (!texts) return 'unanswered';
  // Text editors of DNS services leave quotes and white space around a value.
  if (texts.some((text) => text.split(/[\s"]/).includes(`${PREFIX}${token}`))) return 'found';
  return texts.some((text) => text.includes(PREFIX)) ? 'different' : 'missing';
}

/**
 * Returns true when the answer has the public key, and the record allows mail servers to use it for e-mails with RSA
 * and SHA-256.
 */
export function hasPublicKey(texts: readonly string[], publicKey: string): boolean {
  return texts.some((text) => {
    const tags = parseTags(text);
    const allows = (tag: string, value: string): boolean =>
      [value, '*'].some((one) => (tags.get(tag) ?? value).split(':').includes(one));
    return (
      tags.get('p') === publicKey &&
      (tags.get('v') ?? 'DKIM1') === 'DKIM1' &&
      (tags.get('k') ?? 'rsa') === 'rsa' &&
      allows('h', 'sha256') &&
      allows('s', 'email')
    );
  });
}

/** Reads tags such as `a=1; b=2`. White space inside values is ignored, because long records contain some. */
function parseTags(text: string): ReadonlyMap<string, string> {
  const tags = new Map<string, string>();
  for (const part of text.split(';')) {
    const equals = part.indexOf('=');
    if (equals > 0)
      tags.set(part.slice(0, equals).trim(), part.slice(equals + 1).replace(/\s/g, ''));
  }
  return tags;
}
