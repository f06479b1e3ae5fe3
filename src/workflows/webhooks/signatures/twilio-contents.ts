import { hash } from 'node:crypto';
import { queryOf, type SignedRequest } from './signed-request.js';

/**
 * The largest form in bytes. A larger form takes too long to parse. The longest forms of Twilio are chat messages: 32 KB
 * of text and 4 KB of attributes, of which each byte becomes up to three.
 */
const MAX_FORM_BYTES = 128 * 1024;
/** The largest number of fields. More fields take too long to sort, and Twilio sends about 40. */
const MAX_FIELDS = 1000;
const FORM = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;
const PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

const contentsOf = new WeakMap<SignedRequest, string[][]>();

/**
 * Returns the contents that Twilio may have signed: the address and the sorted fields of a form. For another kind of
 * body, the query contains the SHA-256 of the body. Returns no contents for a body that the signature does not cover.
 * The contents of a request are computed once, because each check with further secrets needs them.
 */
export function twilioContents(request: SignedRequest): string[][] {
  const known = contentsOf.get(request);
  if (known) return known;
  const contents = computeContents(request);
  contentsOf.set(request, contents);
  return contents;
}

function computeContents({ body, headers, url }: SignedRequest): string[][] {
  const fields = signedFields(body, headers['content-type'] ?? '', url);
  return fields === undefined ? [] : addresses(url).map((address) => [address, ...fields]);
}

function signedFields(body: Uint8Array, type: string, url: string): string[] | undefined {
  const digest = queryOf(url).get('bodySHA256');
  if (digest !== null) return digest.toLowerCase() === hash('sha256', body, 'hex') ? [] : undefined;
  if (FORM.test(type)) {
    return body.length > MAX_FORM_BYTES ? undefined : formFields(Buffer.from(body).toString());
  }
  return body.length === 0 ? [] : undefined;
}

/** Returns each name with its value. The values of a repeated name are sorted, and equal values count once. */
function formFields(text: string): string[] | undefined {
  if (text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS) return undefined;
  const values = new Map<string, Set<string>>();
  for (const [name, value] of new URLSearchParams(text)) {
    const found = values.get(name);
    if (found) found.add(value);
    else values.set(name, new Set([value]));
  }
  return [...values.keys()]
    .sort()
    .flatMap((name) => [...values.get(name)!].sort().map((value) => `${name}${value}`));
}

/** Returns the address with and without its port, because Twilio may sign either. */
function addresses(url: string): string[] {
  const found = /^(https?:)\/\/([^/?#:]+|\[[^\]]*\])(:\d+)?(?=[/?#]|$)/.exec(url);
  if (!found) return [url];
  const [start, protocol, host, port] = found;
  const other = port === undefined ? `:${PORTS[protocol!]}` : '';
  return [url, `${protocol}//${host}${other}${url.slice(start.length)}`];
}
