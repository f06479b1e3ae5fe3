import type { Fault } from '../errors/app-error.js';
import { parseUrl } from '../text/parse-url.js';

const REFERENCE = /\{\{-?\s*secrets\./;

/** The message about a secret in a wrong part of a URL. */
export const AFTER_HOST =
  'must have secrets only after the host, in the path or the query, because name servers and errors see the host. For a user name and a password, use a credential of the kind basic';

/**
 * Returns true if every text that can follow this beginning of a URL is in the path, the query or the fragment of the
 * URL.
 */
export function endsAfterHost(beginning: string): boolean {
  // A digit is valid in a host, a port, a user and a password. If the added digit were in one of these parts, the two
  // URLs would differ in this part.
  const [first, second] = [parseUrl(`${beginning}1`), parseUrl(`${beginning}2`)];
  if (!first || !second) return false;
  return (
    first.protocol === second.protocol &&
    first.host === second.host &&
    first.username === second.username &&
    first.password === second.password
  );
}

/** Returns the faults of the URL of a step. A URL with an expression before its first secret is checked later. */
export function secretFaults(url: unknown): readonly Fault[] {
  if (typeof url !== 'string') return [];
  const at = url.search(REFERENCE);
  const beginning = url.slice(0, Math.max(at, 0));
  if (at < 0 || /\{[{%]/.test(beginning) || endsAfterHost(beginning)) return [];
  return [{ path: 'url', message: AFTER_HOST }];
}
