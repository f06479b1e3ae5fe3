import type { Request } from 'express';
import { describe, expect, it } from 'vitest';
import { clientAddress, networkOf } from './client-address.js';

describe(clientAddress, () => {
  const of = (ip: string | undefined, remoteAddress?: string) => {
    const headers = { 'x-forwarded-for': 'read by Express' };
    return clientAddress({ ip, headers, socket: { remoteAddress } } as unknown as Request);
  };

  it('returns an IPv4 address without the IPv6 prefix that a socket for both versions adds', () => {
    expect(of('192.0.2.1')).toBe('192.0.2.1');
    expect(of('::ffff:192.0.2.1')).toBe('192.0.2.1');
    expect(of('2001:DB8::1')).toBe('2001:db8::1');
  });

  it('returns the address of the connection for a text that is not an address', () => {
    expect(of('unknown', '10.0.0.1')).toBe('10.0.0.1');
    expect(of('192.0.2.1:1234', '10.0.0.1')).toBe('10.0.0.1');
    expect(of(undefined)).toBe('');
  });
});

describe('clientAddress without X-Forwarded-For', () => {
  it('is the address of the connection', () => {
    const socket = { remoteAddress: '::ffff:10.0.0.1' };
    expect(clientAddress({ headers: {}, socket } as unknown as Request)).toBe('10.0.0.1');
    expect(clientAddress({ headers: {}, socket: {} } as unknown as Request)).toBe('');
  });
});

describe(networkOf, () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['2001:0db8:0:0:0:0:0:1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
  ])('returns for %s: %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
