import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { OutboundTarget } from './outbound-target.js';

/** What a slow address gets before the next one is tried beside it. */
const NEXT_ADDRESS_MS = 2000;

/**
 * A connection to one of these addresses, without a further look at DNS. Its far end is given to `check` before the
 * first byte is sent; TLS then asks for the name in the URL, and for a certificate of that name.
 */
export async function connect(
  target: OutboundTarget,
  addresses: readonly string[],
  check: (address: string | undefined) => void,
  signal: AbortSignal,
): Promise<Socket> {
  signal.throwIfAborted();
  const socket = connectTcp({
    host: target.host,
    port: target.port,
    // Node asks this for names only; an address in the URL is connected to as it stands.
    lookup: (_name, _options, answer) =>
      answer(
        null,
        addresses.map((address) => ({ address, family: isIP(address) })),
      ),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
  });
  // Also between two waits, where nobody else listens: an error without a listener would end the process.
  socket.on('error', () => undefined);
  try {
    await once(socket, 'connect', { signal });
    check(socket.remoteAddress);
    if (!target.isTls) return socket;
    const secure = connectTls({
      socket,
      // Names only: RFC 6066 has no place for addresses, whose certificates are checked all the same.
      ...(target.isAddress ? { host: target.host } : { servername: target.host }),
      ALPNProtocols: ['http/1.1'],
    });
    secure.on('error', () => undefined);
    await once(secure, 'secureConnect', { signal });
    return secure;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
