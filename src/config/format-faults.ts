import { parseDnsServers } from './dns-servers.js';
import { isHost } from './hosts.js';
import { parseOutboundAllow } from './outbound-allow.js';
import { parseOutboundProxy } from './outbound-proxy.js';
import { parseTrustedProxies } from './trusted-proxies.js';

interface Formatted {
  readonly dnsServers: string;
  readonly host: string;
  readonly outboundAllow: string;
  readonly outboundProxy?: string;
  readonly trustedProxies: string;
}

/** Returns the faults of settings that have a format of their own. `known` has the faults of earlier checks. */
export function formatFaults(settings: Formatted, known: readonly string[]): string[] {
  const { dnsServers, host, outboundAllow, outboundProxy, trustedProxies } = settings;
  const faults: string[] = [];
  if (!isHost(host) && !known.some((fault) => fault.startsWith('HOST'))) {
    faults.push('HOST: it must be an address or a host name');
  }
  if (!parseDnsServers(dnsServers)) {
    faults.push('DNS_SERVERS: it must be a list of ADDRESS[:PORT], with [ADDRESS] for IPv6');
  }
  if (!parseOutboundAllow(outboundAllow)) {
    faults.push('OUTBOUND_ALLOW: it must be a list of ADDRESS[/BITS][:PORT] or *:PORT');
  }
  if (outboundProxy !== undefined && !parseOutboundProxy(outboundProxy)) {
    faults.push('OUTBOUND_PROXY: it must be http://[USER:PASSWORD@]HOST[:PORT]');
  }
  if (!parseTrustedProxies(trustedProxies)) {
    faults.push(
      'TRUSTED_PROXIES: it must be a list of ADDRESS[/BITS], not wider than /8 or /7 with IPv6',
    );
  }
  return faults;
}
