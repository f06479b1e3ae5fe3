/**
 * The longest URL in bytes of UTF-8. A URL of 8,192 characters fits after its path has been encoded and a query of the
 * same length has been added.
 */
export const LONGEST_URL = 96 * 1024;
/**
 * The maximum length of user, password, host and port together, if they are ASCII and nothing in them is
 * percent-encoded.
 */
const LONGEST_AUTHORITY = 1000;
/** DNS allows this many characters in a host (RFC 1035, section 2.3.4). */
export const LONGEST_HOST = 253;

/**
 * Matches the part before the host, and captures the text up to the path. The parser ignores spaces before the scheme,
 * reads backslashes as slashes, and needs no slashes after the scheme. The origin of a `blob:` URL is the origin of the
 * URL inside it.
 */
const AUTHORITY =
  /^(?:[\0- ]*blob:)*[\0- ]*(?:(?:https?|wss?|ftp):[/\\]*|file:[/\\]{2}|[/\\]{2,})([^/\\?#]*)/i;
const IGNORED = /[\t\n\r]/g;
/** Matches characters that the parser may convert: those outside ASCII, and `%`, which can encode such a character. */
const CONVERTED = /[^!-$&-~]/;

/**
 * Returns the URL, or undefined for a text that is no URL or too long. Every URL that others choose is parsed here. The
 * parser of Node.js converts a host outside ASCII in a time that grows with the square of its length: 48,000 characters
 * take almost two seconds, in which the process serves nobody. So a host that DNS does not allow never reaches the
 * parser.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  if (text.length > LONGEST_URL || Buffer.byteLength(text) > LONGEST_URL) return undefined;
  if (!hasShortAuthority(text) || !URL.canParse(text, base)) return undefined;
  const url = new URL(text, base);
  // Checks the result too: it may be longer than the text, and a caller may parse it again for the next request.
  return url.hostname.length <= LONGEST_HOST && url.href.length <= LONGEST_URL ? url : undefined;
}

export function isUrl(text: string): boolean {
  return parseUrl(text) !== undefined;
}

function hasShortAuthority(text: string): boolean {
  const authority = AUTHORITY.exec(text.replace(IGNORED, ''))?.[1] ?? '';
  if (authority.length <= LONGEST_HOST) return true;
  return authority.length <= LONGEST_AUTHORITY && !CONVERTED.test(authority);
}
