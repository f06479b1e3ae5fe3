import type { Request } from 'express';
import { isIP } from 'node:net';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const GROUPS_OF_NETWORK = 4;

/**
 * Returns the IP address of the client. It is the address of the connection, unless this address belongs to a
 * trusted proxy (`TRUSTED_PROXIES`). Behind a trusted proxy, it is the last address in X-Forwarded-For that
 * belongs to no trusted proxy.
 */
export function clientAddress(request: Request): string {
  const { remoteAddress = '' } = request.socket;
  const address = 'x-forwarded-for' in request.headers ? forwardedAddress(request) : remoteAddress;
  return MAPPED.exec(address)?.[1] ?? address.toLowerCase();
}

function forwardedAddress({ ip, socket }: Request): string {
  // Express reads X-Forwarded-For only behind a trusted proxy. Such a proxy may still pass on a text that is not an
  // address.
  return ip !== undefined && isIP(ip) ? ip : (socket.remoteAddress ?? '');
}

/**
 * Returns the network that the limits count as one client: an IPv4 address, or the first 64 bits of an IPv6 address.
 * Every subscriber of IPv6 has at least all addresses with the same first 64 bits. So a limit for single IPv6 addresses
 * would have no effect.
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const plain = address.split('%')[0]!;
  // The URL parser writes an address in its shortest form without dots (RFC 5952).
  const [head = '', tail] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const last = tail === '' ? [] : tail.split(':');
    while (groups.length + last.length < 8) groups.push('0');
    groups.push(...last);
  }
  return `${groups.slice(0, GROUPS_OF_NETWORK).join(':')}::/64`;
}
