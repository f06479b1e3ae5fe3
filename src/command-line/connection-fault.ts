import { COMMAND_LINE_NAMES } from '../config/command-line-settings.js';
import { CommandError } from './command-error.js';
import { shownAddress } from './service-address.js';

/** Reports that no complete answer came. The request may have had its effect. */
export class ConnectionFault extends CommandError {
  /** False when the same request fails again until a person changes something. */
  readonly mayPass: boolean;

  constructor(address: URL, cause: unknown) {
    const code = codeOf(cause);
    super(describe(address, code), { cause });
    this.mayPass = !isTlsCode(code) && code !== 'ENOTFOUND';
  }
}

/** The code of a request that took too long. */
export const TIMED_OUT = 'ETIMEDOUT';
/** The code of an answer that is larger than any answer of the service. */
export const TOO_LARGE = 'ETOOLARGE';

function describe(address: URL, code: string): string {
  const shown = shownAddress(address);
  const known: Record<string, string> = {
    ECONNREFUSED: `Nothing listens at ${shown}. Start Switchboard there, or set ${COMMAND_LINE_NAMES.url} to its address.`,
    ENOTFOUND: `The host name ${address.hostname} does not exist. Check ${COMMAND_LINE_NAMES.url}.`,
    EAI_AGAIN: `The host name ${address.hostname} cannot be looked up. Check the connection of this machine to its DNS server.`,
    [TIMED_OUT]: `${shown} does not answer. Check the address and the firewalls.`,
    EHOSTUNREACH: `${shown} cannot be reached from this machine. Check the address and the network.`,
    ENETUNREACH: `${shown} cannot be reached from this machine. Check the address and the network.`,
    CERT_HAS_EXPIRED: `The certificate of ${address.hostname} has expired. Renew it on the server.`,
    ERR_TLS_CERT_ALTNAME_INVALID: `The certificate of ${address.host} is for another host name. Use the name in the certificate.`,
    EPROTO: `${shown} does not speak TLS. If the service has no TLS, begin the address with http://.`,
    [TOO_LARGE]: `${shown} sent an answer that is too large to come from Switchboard. Check the address.`,
  };
  if (known[code]) return known[code];
  if (isTlsCode(code)) {
    return `The certificate of ${address.host} is not trusted (${code}). Set NODE_EXTRA_CA_CERTS to the file of your certificate authority.`;
  }
  if (code.startsWith('HPE_')) return `${shown} does not speak HTTP. Check the port.`;
  const hint = address.protocol === 'http:' ? ' Does the service need https://?' : '';
  return `The connection to ${shown} broke before the answer (${code}).${hint}`;
}

function codeOf(cause: unknown): string {
  const { code = 'no code' } = cause as NodeJS.ErrnoException;
  // OpenSSL has many codes for bytes that are not TLS.
  return code.startsWith('ERR_SSL') ? 'EPROTO' : code;
}

function isTlsCode(code: string): boolean {
  return /^(EPROTO|ERR_TLS_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH)/.test(
    code,
  );
}
