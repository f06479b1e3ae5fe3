import { domainToASCII, domainToUnicode } from 'node:url';
import { LONGEST_HOST } from './parse-url.js';

/**
 * Returns a domain with A-labels, or an empty text for a domain that is invalid or longer than DNS allows. The length is
 * checked first, because the conversion takes a time that grows with the square of the length.
 */
export function asciiDomain(domain: string): string {
  return domain.length > LONGEST_HOST ? '' : domainToASCII(domain);
}

/** Returns a domain in Unicode (UTS #46), or an empty text where {@link asciiDomain} returns one. */
export function unicodeDomain(domain: string): string {
  return domainToUnicode(asciiDomain(domain));
}
