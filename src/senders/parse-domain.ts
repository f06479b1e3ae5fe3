import { asciiDomain } from '../text/domain-forms.js';

/** The longest domain. The names of its records are longer than the domain, and DNS allows 253 characters. */
const LONGEST_DOMAIN = 190;
/** Matches A-labels of 1 to 63 characters. The last label begins with a letter, so an IP address does not match. */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;

/**
 * Matches a domain without special characters. Otherwise `%2e` would become a full stop, and line breaks would
 * disappear.
 */
const PLAIN = /^[\p{L}\p{M}\p{N}.\u3002-]+$/u;

/** Returns a domain in lowercase, with A-labels. The fault says what is allowed. */
export function parseDomain(text: string): { value: string } | { fault: string } {
  const given = text.trim().replace(/\.$/, '');
  const value = PLAIN.test(given) ? lowercaseDomain(given) : '';
  if (value.length <= LONGEST_DOMAIN && DOMAIN.test(value)) return { value };
  return {
    fault: `must be a domain such as acme.example, with at most ${LONGEST_DOMAIN} characters`,
  };
}

/** Returns the domain of an address in lowercase, with A-labels, so that domains can be compared. */
export function domainOf(address: string): string {
  return lowercaseDomain(address.slice(address.lastIndexOf('@') + 1));
}

function lowercaseDomain(text: string): string {
  return asciiDomain(text).toLowerCase();
}
