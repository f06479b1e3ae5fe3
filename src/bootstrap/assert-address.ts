import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Throws the error of the operating system when no server can listen on this address. Call this function before the
 * database is changed.
 */
export async function assertAddress(port: number, host: string): Promise<void> {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  await once(server.close(), 'close');
}
