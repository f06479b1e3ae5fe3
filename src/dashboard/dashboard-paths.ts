/**
 * A path that begins with one of these names never gets the page of the dashboard. Upper and lower case make no
 * difference.
 */
const RESERVED = new Set(['api', 'assets', 'health', 'mcp', 'oauth', '.well-known']);

/** The largest number of characters of a path of a page. */
const LONGEST_PATH = 1024;
/** The largest number of times that a path may be percent-encoded. */
const MOST_ENCODINGS = 3;

/**
 * Returns true when a browser that opens this path gets the page of the dashboard. Scripts of the page then read the
 * path and show its content. Paths with a dot, such as `/robots.txt`, are files.
 */
export function isPagePath(path: string): boolean {
  const decoded = decode(path);
  if (decoded === undefined || decoded.includes('.') || decoded.includes('\\')) return false;
  // A proxy may join repeated slashes. For such a proxy, `//api` is the path `/api`.
  const [first = ''] = decoded.split('/').filter(Boolean);
  return !RESERVED.has(first.toLowerCase());
}

/**
 * Decodes until nothing changes, because a proxy may have decoded once. Returns undefined for a path that is malformed,
 * too long, or encoded too many times. Without these limits, decoding a long path takes time quadratic in its length.
 */
function decode(path: string): string | undefined {
  if (path.length > LONGEST_PATH) return undefined;
  try {
    let decoded = path;
    for (let round = 0; round <= MOST_ENCODINGS; round += 1) {
      const next = decodeURIComponent(decoded);
      if (next === decoded) return decoded;
      decoded = next;
    }
    return undefined;
  } catch {
    return undefined;
  }
}
