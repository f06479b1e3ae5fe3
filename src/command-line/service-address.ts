import { isIP } from 'node:net';
import { COMMAND_LINE_NAMES } from '../config/command-line-settings.js';
import { withoutSlashes } from '../config/hosts.js';
import { CommandError } from './command-error.js';

const DEFAULT_ADDRESS = 'http://127.0.0.1:3000';
const ENDPOINT = '/api/mcp';

/**
 * Returns the address of the service. Throws a {@link CommandError} when the text is not an http or https URL with only
 * a host and a path.
 */
export function parseAddress(text: string | undefined): URL {
  const given = withoutSlashes(text || DEFAULT_ADDRESS);
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new CommandError(
      `The address is not a URL. Set ${COMMAND_LINE_NAMES.url} to a URL such as ${DEFAULT_ADDRESS}.`,
    );
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new CommandError(
      `The address has more than a host and a path. Set ${COMMAND_LINE_NAMES.url} to ${url.protocol}//${url.host}.`,
    );
  }
  if (url.pathname.endsWith(ENDPOINT)) {
    throw new CommandError(
      `The address ends with ${ENDPOINT}. Give the address of the service only: ${withoutSlashes(given.slice(0, -ENDPOINT.length))}.`,
    );
  }
  return url;
}

/** Returns the address as people write it, without a slash at its end. */
export function shownAddress(address: URL): string {
  return withoutSlashes(address.href);
}

/** Returns true when a key is sent without encryption, so that others in the network can read it. */
export function isUnencrypted({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !isLoopback(hostname);
}

function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 4) return host.startsWith('127.');
  return host === '::1' || host === 'localhost' || host.endsWith('.localhost');
}
