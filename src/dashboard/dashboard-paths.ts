/** A path that begins with one of these names never gets the page of the dashboard, in whatever case it is written. */
const RESERVED = new Set(['api', 'assets', 'health', 'mcp', 'oauth', '.well-known']);

/**
 * Returns true when a browser that opens this path gets the page of the dashboard. The page then decides from the
 * path what it shows. Paths with a point, such as `/robots.txt`, are files.
 */
export function isPagePath(path: string): boolean {
  const decoded = decode(path);
  if (decoded === undefined || decoded.includes('.') || decoded.includes('\\')) return false;
  // A proxy may join repeated slashes, so that `//api` is `/api` to it.
  const [first = ''] = decoded.split('/').filter(Boolean);
  return !RESERVED.has(first.toLowerCase());
}

/** Decodes until nothing changes, because a proxy may have decoded once. Returns undefined for a malformed path. */
function decode(path: string): string | undefined {
  try {
    let decoded = path;
    for (let next = decodeURIComponent(decoded); next !== decoded;) {
      decoded = next;
      next = decodeURIComponent(decoded);
    }
    return decoded;
  } catch {
    return undefined;
  }
}
