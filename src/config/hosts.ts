import { isIP } from 'node:net';

/** Returns true for an IP address, and for a text that has the form of a host name. */
export function isHost(host: string): boolean {
  return isIP(host) !== 0 || /^[a-zA-Z0-9.-]+$/.test(host);
}

/** Returns a URL without the slashes at its end. */
export function withoutSlashes(url: string): string {
  let end = url.length;
  while (end > 0 && url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}
