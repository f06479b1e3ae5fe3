/** Browsers remove these characters from addresses, so `/<tab>/site` is `//site`, another site. */
// oxlint-disable-next-line no-control-regex -- the expression must find control characters
const CONTROL_CHARACTER = /[\0-\x1f\x7f]/;

/**
 * Returns a path of this site. Returns undefined for an address of another site, which a malicious link may contain.
 */
export function ownPath(value: unknown): string | undefined {
  const isPath = typeof value === 'string' && /^\/(?![/\\])/.test(value);
  return isPath && !CONTROL_CHARACTER.test(value) ? value : undefined;
}
