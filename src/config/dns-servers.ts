import { isIP } from 'node:net';

/** Parses a comma-separated list of `ADDRESS[:PORT]`. Returns undefined when an entry is malformed. */
export function parseDnsServers(text: string): string[] | undefined {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  return entries.every(isServer) ? entries : undefined;
}

function isServer(entry: string): boolean {
  const [, v6, v4, port] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(entry) ?? [];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return false;
  return v6 === undefined ? isIP(v4 ?? '') === 4 : isIP(v6) === 6;
}
