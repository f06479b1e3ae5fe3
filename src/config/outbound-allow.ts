import { isIP } from 'node:net';

/** An address or port that outbound requests may reach in addition to the default ones. */
export interface OutboundException {
  /** The addresses. When absent, every public address is allowed. */
  readonly range?: { readonly address: string; readonly bits: number; readonly family: 4 | 6 };
  /** The port. When absent, ports 80 and 443 are allowed. */
  readonly port?: number;
}

/** Matches `ADDRESS[/BITS][:PORT]`. An IPv6 address is in brackets. A star means every public address. */
const ENTRY =
  /^(?:(?<star>\*)|(?:\[(?<v6>[^\]]+)\]|(?<v4>[\d.]+))(?:\/(?<bits>\d{1,3}))?)(?::(?<port>\d{1,5}))?$/;

/** Parses a comma-separated list. Returns undefined when an entry is malformed. */
export function parseOutboundAllow(text: string): OutboundException[] | undefined {
  const found: OutboundException[] = [];
  for (const entry of text.split(',')) {
    if (entry.trim() === '') continue;
    const exception = parseEntry(entry.trim());
    if (!exception) return undefined;
    found.push(exception);
  }
  return found;
}

// Host names are refused, because their DNS server would decide which addresses are allowed.
function parseEntry(entry: string): OutboundException | undefined {
  const { star, v4, v6, bits, port } = ENTRY.exec(entry)?.groups ?? {};
  const number = port === undefined ? undefined : Number(port);
  if (number !== undefined && (number < 1 || number > 65_535)) return undefined;
  // A star without a port would allow nothing more than the default, so it is refused.
  if (star !== undefined) return number === undefined ? undefined : { port: number };
  const address = v4 ?? v6 ?? '';
  const family = isIP(address);
  const most = family === 4 ? 32 : 128;
  const length = bits === undefined ? most : Number(bits);
  if ((family !== 4 && family !== 6) || address.includes('%') || length > most) return undefined;
  if ((family === 4) !== (v4 !== undefined)) return undefined;
  return {
    range: { address, bits: length, family },
    ...(number !== undefined && { port: number }),
  };
}
