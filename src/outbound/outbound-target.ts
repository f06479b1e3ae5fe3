import { isIP } from 'node:net';
import { AppError } from '../errors/app-error.js';

/** A URL as far as its text goes; whether its address may be reached is another question. */
export interface OutboundTarget {
  readonly isTls: boolean;
  /** A name or an address; IPv6 without its brackets. */
  readonly host: string;
  readonly isAddress: boolean;
  readonly port: number;
  /** The value of the Host header. */
  readonly authority: string;
  readonly path: string;
}

/** Reads a URL, or throws `invalid_arguments` for one that requests never go to, whatever its address. */
export function parseTarget(text: string): OutboundTarget {
  if (!URL.canParse(text)) throw refused('must be an absolute URL');
  // The parser of the platform, and its results only: hosts in every odd notation come out in one.
  const url = new URL(text);
  const isTls = url.protocol === 'https:';
  if (!isTls && url.protocol !== 'http:') throw refused('must begin with http:// or https://');
  if (url.username !== '' || url.password !== '') {
    throw refused('must not hold a user or a password: send a header instead');
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (host === '') throw refused('must name a host');
  return {
    isTls,
    host,
    isAddress: isIP(host) !== 0,
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    authority: url.host,
    path: `${url.pathname}${url.search}`,
  };
}

export function refused(message: string): AppError {
  return AppError.invalid(`url ${message}.`, [{ path: 'url', message }]);
}
