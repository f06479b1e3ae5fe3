import { isIP } from 'node:net';

/** Addresses that requests to the outside may reach although the default forbids them. */
export interface OutboundException {
  /** Absent: every address that is public. */
  readonly range?: { readonly address: string; readonly bits: number; readonly family: 4 | 6 };
  /** Absent: the ports that need no exception. */
  readonly port?: number;
}

/** `ADDRESS[/BITS][:PORT]`, where an IPv6 address is in brackets, and a star means every public address. */
const ENTRY =
  /^(?:(?<star>\*)|(?:\[(?<v6>[^\]]+)\]|(?<v4>[\d.]+))(?:\/(?<bits>\d{1,3}))?)(?::(?<port>\d{1,5}))?$/;

/** Reads a list separated by commas, or gives undefined when an entry is none. */
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

// No names: whoever answers for a name would decide what it allows.
function parseEntry(entry: string): OutboundException | undefined {
  const { star, v4, v6, bits, port } = ENTRY.exec(entry)?.groups ?? {};
  const number = port === undefined ? undefined : Number(port);
  if (number !== undefined && (number < 1 || number > 65_535)) return undefined;
  // Without a port it would say nothing.
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
