import { isIP } from 'node:net';
import { AppError } from '../errors/app-error.js';
import { parseUrl } from '../text/parse-url.js';

/** The parts of a parsed URL. Its address has not been checked yet. */
export interface OutboundTarget {
  readonly isTls: boolean;
  /** The host name or address. An IPv6 address has no brackets. */
  readonly host: string;
  readonly isAddress: boolean;
  readonly port: number;
  /** The value of the Host header. */
  readonly authority: string;
  readonly path: string;
}

/**
 * Parses a URL. Throws `invalid_arguments` if the text is not an absolute HTTP URL, or if the URL contains a user or a
 * password.
 */
export function parseTarget(text: string): OutboundTarget {
  const url = parseUrl(text);
  if (!url) throw AppError.invalidField('url', 'must be an absolute URL');
  // Later checks read the host from the parsed URL and never from the text. The parser turns unusual notations, such as
  // 0x7f.1, into the usual address, so a text cannot hide a forbidden address.
  const isTls = url.protocol === 'https:';
  if (!isTls && url.protocol !== 'http:')
    throw AppError.invalidField('url', 'must begin with http:// or https://');
  if (url.username !== '' || url.password !== '') {
    throw AppError.invalidField(
      'url',
      'must not contain a user or a password: send a header instead',
    );
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (host === '') throw AppError.invalidField('url', 'must name a host');
  return {
    isTls,
    host,
    isAddress: isIP(host) !== 0,
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    authority: url.host,
    path: `${url.pathname}${url.search}`,
  };
}
