import { BlockList, isIP } from 'node:net';
import type { OutboundException } from '../config/outbound-allow.js';

/** The IPv4 ranges that are not public: the IANA special-purpose registry (RFC 6890), multicast and reserved. */
const NOT_PUBLIC_V4 = blockList('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // This address is public, but on Azure it leads to the host of the virtual machine, which returns secrets.
  '168.63.129.16/32',
]);
/**
 * The global unicast range, which is the only allowed range of IPv6. Addresses that contain an IPv4 address are outside
 * of it.
 */
const GLOBAL_V6 = blockList('ipv6', ['2000::/3']);
const NOT_PUBLIC_V6 = blockList('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);
const PORTS = [80, 443];

/** Returns true for an IPv4 or IPv6 address of the public Internet, in the notation of `dns.lookup` and sockets. */
export function isPublic(address: string): boolean {
  // A zone, as in fe80::1%eth0, names an interface of this machine.
  if (address.includes('%')) return false;
  const family = isIP(address);
  if (family === 4) return !NOT_PUBLIC_V4.check(address, 'ipv4');
  if (family === 6)
    return GLOBAL_V6.check(address, 'ipv6') && !NOT_PUBLIC_V6.check(address, 'ipv6');
  return false;
}

/** Allows ports 80 and 443 of public addresses, and the exceptions of the operator. */
export class OutboundRules {
  private readonly exceptions: readonly { port?: number; covers: (address: string) => boolean }[];

  /** The addresses that the operator has named, without their ports. */
  private readonly named: readonly ((address: string) => boolean)[];

  constructor(exceptions: readonly OutboundException[]) {
    this.named = exceptions.filter(({ range }) => range).map(({ range }) => rangeMatcher(range));
    this.exceptions = exceptions.map(({ range, port }) => ({ port, covers: rangeMatcher(range) }));
  }

  allows(address: string, port: number): boolean {
    if (isPublic(address) && PORTS.includes(port)) return true;
    return this.exceptions.some(
      (exception) =>
        (exception.port === undefined ? PORTS.includes(port) : exception.port === port) &&
        exception.covers(address),
    );
  }

  /** Returns true when secrets may be sent to the address without TLS, because the operator has named the address. */
  allowsPlainSecrets(address: string): boolean {
    return this.named.some((covers) => covers(address));
  }

  /** Returns true when the port is allowed for at least one address. */
  allowsPort(port: number): boolean {
    return PORTS.includes(port) || this.exceptions.some((exception) => exception.port === port);
  }
}

function rangeMatcher(range: OutboundException['range']): (address: string) => boolean {
  if (!range) return isPublic;
  const family = range.family === 4 ? 'ipv4' : 'ipv6';
  const list = blockList(family, [`${range.address}/${range.bits}`]);
  // The family is compared because BlockList would also match ::ffff:10.0.0.1 with 10.0.0.0/8.
  return (address) => isIP(address) === range.family && list.check(address, family);
}

function blockList(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address, bits] = range.split('/') as [string, string];
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
