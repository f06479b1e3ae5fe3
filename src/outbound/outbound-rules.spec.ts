import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseOutboundAllow } from '../config/outbound-allow.js';
import { isPublic, OutboundRules } from './outbound-rules.js';

/**
 * The ranges that are not public. Each row has the first and last address of a range, and the public addresses around
 * it.
 */
const V4: [first: string, last: string, before: string | null, after: string | null][] = [
  ['0.0.0.0', '0.255.255.255', null, '1.0.0.0'],
  ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0', '255.255.255.255', '223.255.255.255', null],
  ['168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
];
const V6: typeof V4 = [
  ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2000:ffff::', '2001:200::'],
  ['2001:db8::', '2001:db8:ffff::', '2001:db7:ffff::', '2001:db9::'],
  ['2002::', '2002:ffff::', '2001:ffff::', '2003::'],
  ['3fff::', '3fff:fff::', '3ffe::', '3fff:1000::'],
  ['::', '1fff:ffff::', null, '2000::'],
  ['4000::', 'ffff::', '3fff:ffff::', null],
];

describe(isPublic, () => {
  it.each([...V4, ...V6])(
    'returns false from %s to %s, and true outside of this range',
    (first, last, before, after) => {
      expect(isPublic(first)).toBe(false);
      expect(isPublic(last)).toBe(false);
      if (before !== null) expect(isPublic(before)).toBe(true);
      if (after !== null) expect(isPublic(after)).toBe(true);
    },
  );

  it.each(['1.1.1.1', '8.8.8.8', '93.184.215.14', '2606:4700::1111', '2a00:1450:4001:80f::200e'])(
    'returns true for %s',
    (address) => expect(isPublic(address)).toBe(true),
  );

  it.each([
    '::7f00:1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '64:ff9b::7f00:1',
    '64:ff9b:1::a00:1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%lo',
    '2606:4700::1111%eth0',
    '5f00::1',
    '',
    'localhost',
    '127.1',
    '0x7f000001',
    '2130706433',
    '127.0.0.1:80',
    '8.8.8.8 ',
  ])('returns false for %j', (address) => expect(isPublic(address)).toBe(false));

  it('returns false for every IPv6 address that contains a private IPv4 address', () => {
    const prefixes = ['::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::', '2002:', '2001::'];
    fc.assert(
      fc.property(fc.constantFrom(...prefixes), fc.nat(0xffffff), (prefix, low) => {
        const [a, b] = [(0x7f00 | (low >>> 16)).toString(16), (low & 0xffff).toString(16)];
        const address = prefix === '2002:' ? `2002:${a}:${b}::1` : `${prefix}${a}:${b}`;
        return !isPublic(address);
      }),
    );
  });
});

describe(OutboundRules, () => {
  const rules = new OutboundRules(
    parseOutboundAllow('127.0.0.1:8080,10.0.0.0/8,[::1]:9000,*:8443')!,
  );

  it.each<[string, number, boolean]>([
    ['8.8.8.8', 80, true],
    ['8.8.8.8', 443, true],
    ['8.8.8.8', 22, false],
    ['8.8.8.8', 8080, false],
    ['8.8.8.8', 8443, true],
    ['192.168.0.1', 8443, false],
    ['127.0.0.1', 8080, true],
    ['127.0.0.1', 80, false],
    ['127.0.0.2', 8080, false],
    ['::ffff:127.0.0.1', 8080, false],
    ['10.1.2.3', 80, true],
    ['10.1.2.3', 8080, false],
    ['::ffff:10.1.2.3', 80, false],
    ['::1', 9000, true],
    ['::1', 80, false],
  ])('returns for %s at port %i: %s', (address, port, allowed) => {
    expect(rules.allows(address, port)).toBe(allowed);
  });

  it('allows a port that is allowed for at least one address', () => {
    expect([22, 80, 443, 8080, 8443, 9000].map((port) => rules.allowsPort(port))).toEqual([
      false,
      true,
      true,
      true,
      true,
      true,
    ]);
  });
});
