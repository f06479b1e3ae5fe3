import { isIP } from 'node:net';

// A shorter prefix would trust a large part of the internet. 10.0.0.0/8 and fc00::/7 are the largest private networks.
const FEWEST_BITS = { 4: 8, 6: 7 };

/** Parses a comma-separated list of `ADDRESS[/BITS]`. Returns undefined when an entry is malformed or too wide. */
export function parseTrustedProxies(text: string): string[] | undefined {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  return entries.every(isNetwork) ? entries : undefined;
}

function isNetwork(entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/');
  const family = isIP(address);
  // The IPv4 address of a client is always compared in the form `10.0.0.1`, so `::ffff:10.0.0.1` would never match. An
  // IPv6 address with a zone is valid only on one interface, so it is refused too.
  if ((family !== 4 && family !== 6) || rest.length > 0 || /%|^::ffff:/i.test(address)) {
    return false;
  }
  if (bits === undefined) return true;
  const length = /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
  return length >= FEWEST_BITS[family] && length <= (family === 4 ? 32 : 128);
}
