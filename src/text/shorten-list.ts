/** The largest number of characters of a header that are read. Browsers send fewer. */
const LONGEST_HEADER = 200;

/**
 * Returns the first members of a header that has a list, such as `Accept-Language`. Without this limit, a long header
 * of a stranger costs up to 20 ms of processor time.
 */
export function shortenList(header: string): string {
  if (header.length <= LONGEST_HEADER) return header;
  // The last member is dropped, because its weight may be cut off. Without a weight, it would be the preferred member.
  return header.slice(0, Math.max(0, header.lastIndexOf(',', LONGEST_HEADER)));
}
